import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { expectationOf, faults } from './faults.ts';
import { prepareGameDay } from './game-day.ts';
import { type Shop, startShop } from './shop.ts';
import { readApiKey, readEndpoint, ShopStartError } from './tocsin.ts';

const HELP = `npm run shop -- [options]
  --break <fault,...>      break the shop in this way, or in several at once
  --break-after <seconds>  ... but only after a while
  --rate <number>          customers a second (5)
  --for <seconds>          close by itself
  --key-file <path>        the API key to send telemetry with
  --game-day               a panel on the page of local Slack: break the shop and Slack, and see the score
  --list                   the faults
  --help                   this`;

interface Options {
  readonly faults: readonly string[];
  readonly breakAfterSeconds: number;
  readonly rate: number;
  readonly forSeconds: number | null;
  readonly keyFile: string | undefined;
  readonly isGameDay: boolean;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function listFaults(): string {
  return faults.map((fault) => `  ${fault.name.padEnd(13)} ${fault.title}; ${expectationOf(fault)}`).join('\n');
}

/** @returns null: the options only asked for a printout. @throws ShopStartError */
function readOptions(args: readonly string[]): Options | null {
  const { values } = parseOptions(args);
  if (values.help || values.list) {
    say(values.help ? HELP : listFaults());
    return null;
  }
  const chosen = values.break?.split(',') ?? [];
  const unknown = findUnknown(chosen);
  if (unknown !== undefined) {
    throw new ShopStartError(`There is no fault ${unknown}; choose one of these:\n${listFaults()}`);
  }
  return {
    faults: chosen,
    breakAfterSeconds: readNumber('--break-after', values['break-after'], 3600) ?? 0,
    rate: readNumber('--rate', values.rate, 100) ?? 5,
    forSeconds: readNumber('--for', values.for, 86_400),
    keyFile: values['key-file'],
    isGameDay: values['game-day'] ?? false,
  };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        break: { type: 'string' },
        'break-after': { type: 'string' },
        rate: { type: 'string' },
        for: { type: 'string' },
        'key-file': { type: 'string' },
        'game-day': { type: 'boolean' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw new ShopStartError(`${cause instanceof Error ? cause.message : String(cause)}\n${HELP}`, { cause });
  }
}

function readNumber(name: string, text: string | undefined, most: number): number | null {
  if (text === undefined) {
    return null;
  }
  const value = Number(text);
  if (!(value > 0 && value <= most)) {
    throw new ShopStartError(`${name} ${text} is invalid: use a number above 0, at most ${most}.`);
  }
  return value;
}

function findUnknown(names: readonly string[]): string | undefined {
  return names.find((each) => !faults.some(({ name }) => name === each));
}

/** Executes one typed line. */
function obey(shop: Shop, line: string): void {
  const words = line.split(/[\s,]+/).filter((word) => word !== '');
  const unknown = findUnknown(words.filter((word) => word !== 'fix'));
  if (unknown !== undefined) {
    say(`There is no fault ${unknown}; type fix, or some of these:\n${listFaults()}`);
  } else if (words.includes('fix')) {
    shop.fix();
  } else if (words.length > 0) {
    shop.break(...words);
  }
}

async function run(options: Options): Promise<void> {
  const { faults: chosen, breakAfterSeconds, rate, forSeconds, keyFile, isGameDay } = options;
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);

  const endpoint = readEndpoint(process.env);
  const apiKey = await readApiKey(process.env, keyFile);
  const slackUrl = `http://127.0.0.1:${process.env.LOCAL_SLACK_PORT || 3100}/`;
  const gameDay = isGameDay
    ? await prepareGameDay({ slackUrl, serviceUrl: endpoint, apiKey, now: () => Date.now() })
    : null;
  const log = (line: string): void => {
    say(line);
    gameDay?.log(line);
  };
  await using shop = await startShop({ endpoint, apiKey, rate, log });
  using lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => obey(shop, line));
  say(
    `Type the name of a fault, or of several, and Enter to break the shop, or fix to repair it. Ctrl-C closes it. Faults:\n${listFaults()}`,
  );

  if (forSeconds !== null) {
    setTimeout(stop, forSeconds * 1000).unref();
  }
  if (chosen.length > 0) {
    setTimeout(() => shop.break(...chosen), breakAfterSeconds * 1000).unref();
  }
  if (gameDay !== null) {
    say(`Game day   ${slackUrl}  open "Game day" in the sidebar; Ctrl-C ends it`);
    await gameDay.run(shop, stopping.signal);
  } else if (!stopping.signal.aborted) {
    await once(stopping.signal, 'abort');
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options !== null) {
    await run(options);
  }
} catch (error) {
  if (!(error instanceof ShopStartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
