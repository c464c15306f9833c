import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { prepareGameDay } from './game-day.ts';
import { findUnknown, listFaults, type Options, readOptions } from './options.ts';
import { type Shop, startShop } from './shop.ts';
import { readApiKey, readEndpoint, ShopStartError } from './tocsin.ts';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
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
  await (options.printout === null ? run(options) : say(options.printout));
} catch (error) {
  if (!(error instanceof ShopStartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
