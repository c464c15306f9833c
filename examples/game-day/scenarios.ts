import { type Chance, createChance } from './chance.ts';
import type { Person, SlackFault } from './local-slack.ts';

/** One step of a scenario. The next step starts when this one is done. */
export type Step =
  /** Breaks the shop and waits for the incident. */
  | { readonly kind: 'break'; readonly fault: string }
  | { readonly kind: 'heal' }
  /** Sends alerts for unrelated services; each opens one incident. */
  | { readonly kind: 'alerts'; readonly services: readonly string[] }
  /** Waits until each incident has its card. */
  | { readonly kind: 'cards' }
  | { readonly kind: 'slack'; readonly fault: SlackFault }
  | { readonly kind: 'service-away'; readonly seconds: number }
  /** A person acknowledges everything that is not acknowledged, by the cards or by `/incidents ack`. */
  | { readonly kind: 'acknowledge'; readonly who: Person; readonly by: 'card' | 'command' }
  /** A person closes everything that is open. `meanwhile` runs while the first form is open. */
  | { readonly kind: 'resolve'; readonly who: Person; readonly note: string; readonly meanwhile?: Step }
  | { readonly kind: 'delete-cards' }
  | { readonly kind: 'pause'; readonly seconds: number };

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Needs the gate between bot and service, which only exists if this program started both. */
  readonly needsGate: boolean;
  readonly steps: readonly Step[];
}

/**
 * Each fault is used once, because Tocsin treats a failure of the same service within ten minutes after its incident was
 * closed as the same incident.
 */
const SHOP_FAULTS = ['payments', 'orders-db', 'inventory', 'bank-gateway'];
const ALERTING = [
  'search',
  'mailer',
  'billing',
  'sitemap',
  'thumbnails',
  'recommender',
  'loyalty',
  'reports',
  'invoices',
  'exports',
  'sessions',
  'coupons',
];
const NOTES = [
  'Rolled back to the release of yesterday, errors gone',
  'Restarted the pods one by one; <memory> leak & OOM, see *run-42*',
  'Failed over to the second region\nand told support',
] as const;
/** Long enough for the last errors after a fix to be sent and correlated. */
const CALM: Step = { kind: 'pause', seconds: 4 };

/** Returns the same scenarios for the same seed. A whole day has too few incidents for a storm, which has no cards to click. */
export function planDay(seed: string): readonly Scenario[] {
  const chance = createChance(seed);
  const draws: Draws = {
    chance,
    shopFaults: chance.shuffle(SHOP_FAULTS).values(),
    alerting: chance.shuffle(ALERTING).values(),
  };
  return PLANS.map(({ name, title, needsGate = false, plan }) => ({
    name,
    title,
    needsGate,
    steps: plan(draws, `${seed} ${name}`),
  }));
}

/** Random choices, shared by the scenarios of one day. */
interface Draws {
  readonly chance: Chance;
  readonly shopFaults: Iterator<string>;
  readonly alerting: Iterator<string>;
}

interface Plan {
  readonly name: string;
  readonly title: string;
  readonly needsGate?: boolean;
  readonly plan: (draws: Draws, seed: string) => readonly Step[];
}

const PLANS: readonly Plan[] = [
  {
    name: 'broken-service',
    title: 'A service of the shop breaks, one person acknowledges, the other resolves',
    plan: (draws) => [
      breakShop(draws),
      { kind: 'cards' },
      { kind: 'acknowledge', who: 'ana', by: 'card' },
      { kind: 'heal' },
      CALM,
      { kind: 'resolve', who: 'ben', note: draws.chance.pick(NOTES) },
    ],
  },
  {
    name: 'rate-limit',
    title: 'Three incidents at once while Slack answers 429',
    plan: (draws) => [
      {
        kind: 'slack',
        fault: {
          kind: 'rate_limited',
          method: 'chat.postMessage',
          retry_after: draws.chance.between(3, 6),
          seconds: draws.chance.between(8, 12),
        },
      },
      alerts(draws, 3),
      { kind: 'cards' },
      { kind: 'acknowledge', who: 'ben', by: 'card' },
      { kind: 'resolve', who: 'ana', note: draws.chance.pick(NOTES) },
    ],
  },
  {
    name: 'cut-sockets',
    title: 'The connections are cut and an acknowledgement is lost while people click',
    plan: (draws) => [
      breakShop(draws),
      { kind: 'cards' },
      { kind: 'slack', fault: { kind: 'cut-sockets' } },
      { kind: 'acknowledge', who: 'ben', by: 'card' },
      { kind: 'heal' },
      CALM,
      { kind: 'slack', fault: { kind: 'dropped-acks', count: 1 } },
      {
        kind: 'resolve',
        who: 'ana',
        note: draws.chance.pick(NOTES),
        meanwhile: { kind: 'slack', fault: { kind: 'cut-sockets' } },
      },
    ],
  },
  {
    name: 'slack-away',
    title: 'A service breaks while Slack is away',
    plan: (draws) => [
      { kind: 'slack', fault: { kind: 'away', seconds: 20 } },
      breakShop(draws),
      { kind: 'cards' },
      { kind: 'acknowledge', who: 'ana', by: 'card' },
      { kind: 'heal' },
      CALM,
      { kind: 'resolve', who: 'ana', note: draws.chance.pick(NOTES) },
    ],
  },
  {
    name: 'stored-then-502',
    title: 'Slack posts the message and answers 502 every third time',
    plan: (draws, seed) => [
      {
        kind: 'slack',
        fault: { kind: 'plan', seed, rate: 1 / 3, kinds: ['stored-then-502'], methods: ['chat.postMessage'] },
      },
      // The first post fails for every seed.
      { kind: 'slack', fault: { kind: 'stored-then-502', method: 'chat.postMessage' } },
      alerts(draws, 2),
      { kind: 'cards' },
      { kind: 'acknowledge', who: 'ana', by: 'card' },
      { kind: 'resolve', who: 'ben', note: draws.chance.pick(NOTES) },
    ],
  },
  {
    name: 'deleted-card',
    title: 'One person deletes the card, the other acknowledges by command',
    plan: (draws) => [
      alerts(draws, 1),
      { kind: 'cards' },
      { kind: 'delete-cards' },
      { kind: 'acknowledge', who: 'ana', by: 'command' },
      { kind: 'cards' },
      { kind: 'resolve', who: 'ben', note: draws.chance.pick(NOTES) },
    ],
  },
  {
    name: 'service-away',
    title: 'The incident service is down while a person types the note',
    needsGate: true,
    plan: (draws) => [
      breakShop(draws),
      { kind: 'cards' },
      { kind: 'heal' },
      CALM,
      {
        kind: 'resolve',
        who: 'ana',
        note: draws.chance.pick(NOTES),
        meanwhile: { kind: 'service-away', seconds: draws.chance.between(8, 12) },
      },
    ],
  },
  {
    name: 'bad-day',
    title: 'Random slow answers, 429, 502 and lost acknowledgements',
    plan: (draws, seed) => [
      {
        kind: 'slack',
        fault: {
          kind: 'plan',
          seed,
          rate: 0.25,
          kinds: ['rate_limited', 'stored-then-502', 'latency', 'dropped-ack', 'duplicate-event'],
          methods: ['chat.postMessage', 'chat.update'],
        },
      },
      alerts(draws, 2),
      { kind: 'cards' },
      { kind: 'acknowledge', who: 'ben', by: 'card' },
      { kind: 'resolve', who: 'ana', note: draws.chance.pick(NOTES) },
    ],
  },
];

function breakShop({ shopFaults }: Draws): Step {
  return { kind: 'break', fault: take(shopFaults) };
}

function alerts({ alerting }: Draws, count: number): Step {
  return { kind: 'alerts', services: Array.from({ length: count }, () => take(alerting)) };
}

function take(from: Iterator<string>): string {
  const { value, done } = from.next();
  if (done === true) {
    throw new Error('the scenarios use more faults than there are');
  }
  return value;
}
