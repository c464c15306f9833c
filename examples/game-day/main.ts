import { parseArgs } from 'node:util';
import { createServiceClient } from '../../src/client/service-client.ts';
import { startShop } from '../shop/shop.ts';
import { readApiKey, readEndpoint, ShopStartError } from '../shop/tocsin.ts';
import { createAttendance } from './attend.ts';
import type { Gate } from './gate.ts';
import { reachLocalSlack } from './local-slack.ts';
import { play, type Result, type Stage } from './play.ts';
import { tableOf } from './report.ts';
import { planDay, type Scenario } from './scenarios.ts';
import { startTocsin } from './tocsin.ts';
import { startWatch } from './watch.ts';

const HELP = `npm run gameday -- [options]
  (none)           start a Tocsin of its own in a temporary folder, play every scenario, print the score
  --only <name>    play this scenario alone; may be given several times
  --seed <text>    another day; the same text gives the same day (monday)
  --attach         beside a running npm start: a panel on the page of its local Slack
  --list           the scenarios
  --help           this`;

/** Invalid options, or no running Tocsin. Printed without a stack trace. */
class GameDayStartError extends Error {
  override readonly name = 'GameDayStartError';
}

interface Options {
  readonly scenarios: readonly Scenario[];
  readonly seed: string;
  readonly isAttached: boolean;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @returns null: the options only asked for a printout. @throws GameDayStartError */
function readOptions(args: readonly string[]): Options | null {
  const { only, seed, attach, list, help } = parseOptions(args);
  const scenarios = planDay(seed);
  const listed = scenarios.map(({ name, title }) => `  ${name.padEnd(15)} ${title}`).join('\n');
  if (help || list) {
    say(help ? HELP : listed);
    return null;
  }
  const unknown = only.find((name) => !scenarios.some((each) => each.name === name));
  if (unknown !== undefined) {
    throw new GameDayStartError(`There is no scenario ${unknown}; choose from these:\n${listed}`);
  }
  const isChosen = ({ name, needsGate }: Scenario): boolean =>
    (only.length === 0 || only.includes(name)) && !(attach && needsGate);
  return { scenarios: scenarios.filter(isChosen), seed, isAttached: attach };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true, default: [] },
        seed: { type: 'string', default: 'monday' },
        attach: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (cause) {
    throw new GameDayStartError(`${cause instanceof Error ? cause.message : String(cause)}\n${HELP}`, { cause });
  }
}

interface Place {
  readonly serviceUrl: string;
  readonly slackUrl: string;
  readonly apiKey: string;
  readonly gate: Gate | null;
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

/** Starts the shop, the watch and everything else that a scenario needs. */
async function setStage({ serviceUrl, slackUrl, apiKey, ...rest }: Place): Promise<Stage & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const now = (): number => Date.now();
  const slack = reachLocalSlack(slackUrl);
  await slack.look('ana').catch((cause: unknown) => {
    throw new GameDayStartError(
      `Local Slack does not respond at ${slackUrl}: start Tocsin with \`npm start\` and without SLACK_BOT_TOKEN, or set LOCAL_SLACK_PORT to its port.`,
      { cause },
    );
  });
  const shop = started.use(await startShop({ endpoint: serviceUrl, apiKey, log: rest.log }));
  const service = started.use(createServiceClient({ baseUrl: `${serviceUrl}/v1`, apiKey }));
  const watch = started.use(startWatch({ slack, service, now, stopping: rest.stopping }));
  const owned = started.move();
  return {
    slack,
    watch,
    shop,
    alert: (services) => sendAlerts(serviceUrl, apiKey, services),
    now,
    ...rest,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function sendAlerts(serviceUrl: string, apiKey: string, services: readonly string[]): Promise<void> {
  const response = await fetch(`${serviceUrl}/v1/generic`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(services.map((service) => ({ service, summary: `${service} fails its objective` }))),
  });
  if (!response.ok) {
    throw new Error(`the service responded with ${response.status} to alerts: ${await response.text()}`);
  }
}

/** @returns whether all scenarios passed */
async function playAll({ scenarios, seed }: Options, stopping: AbortSignal): Promise<boolean> {
  say(`Game day with the seed ${seed}: ${scenarios.map(({ name }) => name).join(', ')}`);
  await using tocsin = await startTocsin();
  const { serviceUrl, slackUrl, apiKey, gate } = tocsin;
  say(`Slack      ${slackUrl}  (you can watch here)`);
  const log = (line: string): void => say(`  ${line}`);
  await using stage = await setStage({ serviceUrl, slackUrl, apiKey, gate, stopping, log });
  const results: Result[] = [];
  for (const scenario of scenarios) {
    if (stopping.aborted) {
      break;
    }
    say(`${scenario.name}: ${scenario.title}`);
    results.push(await play(stage, scenario));
  }
  const isPassed = results.length === scenarios.length && results.every((result) => result.isPassed);
  say(`\n${tableOf(results)}\n(times: median / worst)\n`);
  for (const { scenario, stuck } of results) {
    if (stuck !== null) {
      say(`${scenario.name} was stuck: ${stuck}`);
    }
  }
  if (!isPassed) {
    tocsin.keepFolder();
    say(`Logs: ${tocsin.folder}`);
  }
  say(isPassed ? 'PASS' : 'FAIL');
  return isPassed;
}

async function attend({ scenarios }: Options, stopping: AbortSignal): Promise<void> {
  const serviceUrl = readEndpoint(process.env);
  const slackUrl = `http://127.0.0.1:${process.env.LOCAL_SLACK_PORT || 3100}/`;
  const attendance = createAttendance(() => new Date());
  const log = (line: string): void => {
    say(line);
    attendance.log(line);
  };
  const apiKey = await readApiKey(process.env, undefined);
  await using stage = await setStage({ serviceUrl, slackUrl, apiKey, gate: null, stopping, log });
  say(`Game day   ${slackUrl}  open "Game day" in the sidebar; Ctrl-C ends it`);
  await attendance.run(stage, scenarios);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options !== null) {
    const stopping = new AbortController();
    const stop = (): void => stopping.abort();
    process.on('SIGINT', stop).on('SIGTERM', stop);
    if (options.isAttached) {
      await attend(options, stopping.signal);
    } else {
      process.exitCode = (await playAll(options, stopping.signal)) ? 0 : 1;
    }
  }
} catch (error) {
  if (!(error instanceof GameDayStartError || error instanceof ShopStartError)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof GameDayStartError ? 2 : 1;
}
