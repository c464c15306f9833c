import { setTimeout as delay } from 'node:timers/promises';
import { faults as shopFaults } from './faults.ts';
import { type PanelContent, reachLocalSlack, type SlackFault } from './local-slack.ts';
import { metricsOf, score } from './score.ts';
import type { Shop } from './shop.ts';
import { ShopStartError } from './tocsin.ts';
import { createWatch, readIncidents } from './watch.ts';

const SHOW_EVERY_MS = 250;
/** Delays up to this do not count as losses. */
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

export interface GameDay {
  /** Adds a line to the panel. */
  log(line: string): void;
  /** Shows the panel and handles its buttons until stopped. */
  run(shop: Shop, stopping: AbortSignal): Promise<void>;
}

/**
 * A panel on the page of a running local Slack: buttons that break the shop and Slack, and the score of what people saw.
 *
 * @throws ShopStartError when local Slack does not respond
 */
export async function prepareGameDay(options: {
  readonly slackUrl: string;
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly now: () => number;
}): Promise<GameDay> {
  const { slackUrl, serviceUrl, apiKey, now } = options;
  const slack = reachLocalSlack(slackUrl);
  await slack.messages().catch((cause: unknown) => {
    throw new ShopStartError(
      `Local Slack does not respond at ${slackUrl}: start Tocsin with \`npm start\` and without SLACK_BOT_TOKEN, or set LOCAL_SLACK_PORT to its port.`,
      { cause },
    );
  });
  const watch = createWatch({ slack, incidents: () => readIncidents(serviceUrl, apiKey), now });
  let since = now();
  let lines: readonly string[] = [];

  function log(line: string): void {
    const stamped = `${new Date(now()).toTimeString().slice(0, 8)} ${line}`;
    const short = stamped.length > MAX_LINE_LENGTH ? `${stamped.slice(0, MAX_LINE_LENGTH - 1)}…` : stamped;
    lines = [short, ...lines].slice(0, MAX_LINES);
  }

  async function handle(shop: Shop, id: string): Promise<void> {
    const [kind = '', name = ''] = id.split(' ');
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
      since = now();
      log('The score starts from zero');
    }
  }

  function panel({ broken }: Shop): PanelContent {
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
        ...shopFaults.map((fault) =>
          button('Break the shop', `shop ${fault.name}`, fault.name, sentence(fault.title), broken.includes(fault)),
        ),
        button('Break the shop', HEAL, 'Fix the shop', 'Every service works again.'),
        ...SLACK_BUTTONS.map(({ label, description }, index) =>
          button('Break Slack', `slack ${index}`, label, description),
        ),
        button('Break Slack', END, 'End all faults', 'Slack works again.'),
        button('Score', RESET, 'Start from zero', 'Counts only what happens from now on.'),
      ],
      metrics: metricsOf(score(watch.observed(since), TOLERANCE_MS)),
      log: lines,
    };
  }

  return {
    log,
    async run(shop, stopping) {
      try {
        while (!stopping.aborted) {
          await watch.look().catch(() => undefined); // one of them is away; what was seen before stays
          // After a restart of Tocsin, the panel appears again.
          for (const id of await slack.showPanel(panel(shop)).catch(() => [])) {
            await handle(shop, id).catch((error: unknown) => log(String(error)));
          }
          await delay(SHOW_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
        }
      } finally {
        await slack.removePanel().catch(() => undefined); // local Slack may have stopped
      }
    },
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
