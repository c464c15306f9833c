import { setTimeout as delay } from 'node:timers/promises';
import { faults as shopFaults } from '../shop/faults.ts';
import type { PanelContent, SlackFault } from './local-slack.ts';
import { play, type Stage } from './play.ts';
import { metricsOf } from './report.ts';
import type { Scenario } from './scenarios.ts';
import { score } from './score.ts';

const SHOW_EVERY_MS = 500;
/** Delays up to this do not count as losses while the game runs. */
const TOLERANCE_MS = 30_000;
const MAX_LINES = 40;
const MAX_LINE_LENGTH = 200;

interface SlackButton {
  readonly label: string;
  readonly description: string;
  readonly fault: SlackFault;
}

const SLACK_BUTTONS: readonly SlackButton[] = [
  {
    label: '429 for 30 s',
    description: 'Slack refuses every call and asks for a pause of 10 s.',
    fault: { kind: 'rate_limited', retry_after: 10, seconds: 30 },
  },
  {
    label: 'Stored, then 502',
    description: 'The next 3 messages are posted, but the bot gets an error.',
    fault: { kind: 'stored-then-502', method: 'chat.postMessage', calls: 3 },
  },
  {
    label: 'Slow for 30 s',
    description: 'Every call takes 3 s longer.',
    fault: { kind: 'latency', ms: 3_000, seconds: 30 },
  },
  {
    label: 'Lose 3 acknowledgements',
    description: 'Slack does not receive the acknowledgements of the next 3 clicks.',
    fault: { kind: 'dropped-acks', count: 3 },
  },
  {
    label: 'Cut the connections',
    description: 'All Socket Mode connections break at once.',
    fault: { kind: 'cut-sockets' },
  },
  {
    label: '3 events twice',
    description: 'The next 3 events are delivered twice.',
    fault: { kind: 'duplicate-events', count: 3 },
  },
  {
    label: 'Away for 20 s',
    description: 'Slack does not respond at all.',
    fault: { kind: 'away', seconds: 20 },
  },
];

const HEAL = 'heal';
const END = 'end';
const RESET = 'reset';

export interface Attendance {
  log(line: string): void;
  /** Shows the panel and handles its buttons until stopped. */
  run(stage: Stage, scenarios: readonly Scenario[]): Promise<void>;
}

/** The panel on the page of a running local Slack: buttons that break things, and the score. */
export function createAttendance(now: () => Date): Attendance {
  let lines: readonly string[] = [];

  function log(line: string): void {
    const stamped = `${now().toTimeString().slice(0, 8)} ${line}`;
    lines = [stamped.length > MAX_LINE_LENGTH ? `${stamped.slice(0, MAX_LINE_LENGTH - 1)}…` : stamped, ...lines].slice(
      0,
      MAX_LINES,
    );
  }

  return {
    log,
    async run(stage, scenarios) {
      const { slack, shop, watch, stopping } = stage;
      let since = stage.now();
      let playing: string | null = null;

      function startPlaying(scenario: Scenario): void {
        if (playing !== null) {
          log(`${playing} is still running`);
          return;
        }
        playing = scenario.name;
        log(`Playing: ${scenario.title}`);
        void play(stage, scenario)
          .then(({ isPassed }) => log(`${scenario.name}: ${isPassed ? 'PASS' : 'FAIL'}`))
          .catch((error: unknown) => log(`${scenario.name} failed: ${String(error)}`))
          .finally(() => {
            playing = null;
          });
      }

      async function handle(id: string): Promise<void> {
        const [kind = '', name = ''] = id.split(' ');
        const scenario = kind === 'play' ? scenarios.find((each) => each.name === name) : undefined;
        const fault = kind === 'slack' ? SLACK_BUTTONS[Number(name)] : undefined;
        if (kind === 'shop') {
          shop.break(name);
        } else if (id === HEAL) {
          shop.fix();
        } else if (fault !== undefined) {
          await slack.break(fault.fault);
          log(`Slack: ${fault.label}`);
        } else if (id === END) {
          await slack.recover();
          log('All faults of Slack ended');
        } else if (id === RESET) {
          since = stage.now();
          log('The score starts from zero');
        } else if (scenario !== undefined) {
          startPlaying(scenario);
        }
      }

      function panel(): PanelContent {
        const button = (group: string, id: string, label: string, description: string, active = false) => ({
          id,
          label,
          description,
          group,
          active,
        });
        return {
          title: 'Game day',
          buttons: [
            ...shopFaults.map(({ name, title }) =>
              button(
                'Break the shop',
                `shop ${name}`,
                name,
                sentence(title),
                shop.broken.some((fault) => fault.name === name),
              ),
            ),
            button('Break the shop', HEAL, 'Fix the shop', 'Every service works again.'),
            ...SLACK_BUTTONS.map(({ label, description }, index) =>
              button('Break Slack', `slack ${index}`, label, description),
            ),
            button('Break Slack', END, 'End all faults', 'Slack works again.'),
            ...scenarios.map(({ name, title }) =>
              button('Play a scenario with ana and ben', `play ${name}`, name, sentence(title), playing === name),
            ),
            button('Score', RESET, 'Start from zero', 'Counts only what happens from now on.'),
          ],
          metrics: metricsOf(score(watch.observed(since), TOLERANCE_MS)),
          log: lines,
        };
      }

      try {
        while (!stopping.aborted) {
          // After a restart of Tocsin, the panel appears again.
          for (const id of await slack.showPanel(panel()).catch(() => [])) {
            await handle(id).catch((error: unknown) => log(String(error)));
          }
          await delay(SHOW_EVERY_MS, undefined, { signal: stopping }).catch(() => {});
        }
      } finally {
        await slack.removePanel().catch(() => {}); // local Slack may have stopped
      }
    },
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
