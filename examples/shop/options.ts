import { parseArgs } from 'node:util';
import { expectationOf, faults } from './faults.ts';
import { ShopStartError } from './tocsin.ts';

const HELP = `npm run shop -- [options]
  --break <fault,...>      break the shop in this way, or in several at once
  --break-after <seconds>  ... but only after a while
  --rate <number>          customers a second (5)
  --for <seconds>          close by itself
  --key-file <path>        the API key to send telemetry with
  --game-day               a panel on the page of local Slack: break the shop and Slack, and see the score
  --list                   the faults
  --help                   this`;

export interface Options {
  /** Text that was asked for, instead of a shop; null: nothing. */
  readonly printout: string | null;
  readonly faults: readonly string[];
  readonly breakAfterSeconds: number;
  readonly rate: number;
  readonly forSeconds: number | null;
  readonly keyFile: string | undefined;
  readonly isGameDay: boolean;
}

export function listFaults(): string {
  return faults.map((fault) => `  ${fault.name.padEnd(13)} ${fault.title}; ${expectationOf(fault)}`).join('\n');
}

/** @throws ShopStartError */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseOptions(args);
  const chosen = values.break?.split(',') ?? [];
  const unknown = findUnknown(chosen);
  if (unknown !== undefined) {
    throw new ShopStartError(`There is no fault ${unknown}; choose one of these:\n${listFaults()}`);
  }
  return {
    printout: values.help ? HELP : values.list ? listFaults() : null,
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

export function findUnknown(names: readonly string[]): string | undefined {
  return names.find((each) => !faults.some(({ name }) => name === each));
}
