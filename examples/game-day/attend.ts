import { setTimeout as delay } from 'node:timers/promises';
import { faults as shopFaults } from '../shop/faults.ts';
import type { PanelContent, SlackFault } from './local-slack.ts';
import { play, type Stage } from './play.ts';
import { figuresOf } from './report.ts';
import type { Scenario } from './scenarios.ts';
import { score } from './score.ts';

const SHOW_EVERY_MS = 500;
/** What is late by less is not held against anybody while the day goes on. */
const PATIENCE_MS = 30_000;
const KEPT_LINES = 40;
const LONGEST_LINE = 200;

const SLACK_BUTTONS: readonly { readonly label: string; readonly fault: SlackFault }[] = [
  { label: '429 for 30 s', fault: { kind: 'rate_limited', retry_after: 10, seconds: 30 } },
  { label: 'Stored, then 502 (3 posts)', fault: { kind: 'stored-then-502', method: 'chat.postMessage', calls: 3 } },
  { label: 'Slow answers for 30 s', fault: { kind: 'latency', ms: 3_000, seconds: 30 } },
  { label: 'Lose 3 acknowledgements', fault: { kind: 'dropped-acks', count: 3 } },
  { label: 'Cut the connections', fault: { kind: 'cut-sockets' } },
  { label: '3 events twice', fault: { kind: 'duplicate-events', count: 3 } },
  { label: 'Slack away for 20 s', fault: { kind: 'away', seconds: 20 } },
];

const HEAL = 'heal';
const END = 'end';
const ANEW = 'anew';

export interface Attendance {
  log(line: string): void;
  /** Shows the panel and obeys its buttons until stopped. */
  run(stage: Stage, scenarios: readonly Scenario[]): Promise<void>;
}

/** The panel on the page of a running local Slack: what can be broken, and the score so far. */
export function createAttendance(now: () => Date): Attendance {
  let lines: readonly string[] = [];

  function log(line: string): void {
    const stamped = `${now().toTimeString().slice(0, 8)} ${line}`;
    lines = [stamped.length > LONGEST_LINE ? `${stamped.slice(0, LONGEST_LINE - 1)}…` : stamped, ...lines].slice(
      0,
      KEPT_LINES,
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
          log(`${playing} is still being played`);
          return;
        }
        playing = scenario.name;
        log(`Playing: ${scenario.title}`);
        void play(stage, scenario)
          .then(({ isPassed }) => log(`${scenario.name}: ${isPassed ? 'PASS' : 'FAIL'}`))
          .catch((error: unknown) => log(`${scenario.name} broke off: ${String(error)}`))
          .finally(() => {
            playing = null;
          });
      }

      async function obey(id: string): Promise<void> {
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
          log('Slack is well again');
        } else if (id === ANEW) {
          since = stage.now();
          log('The score begins anew');
        } else if (scenario !== undefined) {
          startPlaying(scenario);
        }
      }

      function panel(): PanelContent {
        const button = (group: string, id: string, label: string, active = false) => ({ id, label, group, active });
        return {
          title: 'Game day',
          buttons: [
            ...shopFaults.map(({ name }) => button('Break the shop', `shop ${name}`, name, shop.broken?.name === name)),
            button('Break the shop', HEAL, 'Heal the shop'),
            ...SLACK_BUTTONS.map(({ label }, index) => button('Break Slack', `slack ${index}`, label)),
            button('Break Slack', END, 'End all faults'),
            ...scenarios.map(({ name }) => button('Play a scenario', `play ${name}`, name, playing === name)),
            button('Score', ANEW, 'Begin anew'),
          ],
          figures: figuresOf(score(watch.observed(since), PATIENCE_MS)),
          log: lines,
        };
      }

      try {
        while (!stopping.aborted) {
          // A Tocsin that was stopped may come back, and the panel with it.
          for (const id of await slack.showPanel(panel()).catch(() => [])) {
            await obey(id).catch((error: unknown) => log(String(error)));
          }
          await delay(SHOW_EVERY_MS, undefined, { signal: stopping }).catch(() => {});
        }
      } finally {
        await slack.takePanelAway().catch(() => {}); // local Slack may be the one that ended
      }
    },
  };
}
