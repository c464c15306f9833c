import fc from 'fast-check';
import { PEOPLE } from './people.ts';

const METHODS = ['chat.postMessage', 'chat.update', 'conversations.history'] as const;

const person = fc.constantFrom(...PEOPLE);
/** Selects one of the candidates that exist at the time; -1: the newest. */
const pick = fc.nat({ max: 999 });
const seconds = fc.integer({ min: 5, max: 90 });

const doing = {
  open: fc.record({
    kind: fc.constant('open'),
    group: fc.constantFrom('checkout', 'search', 'ledger'),
    signals: fc.integer({ min: 1, max: 4 }),
  }),
  grow: fc.record({ kind: fc.constant('grow'), pick }),
  closeElsewhere: fc.record({ kind: fc.constant('close elsewhere'), pick }),
  acknowledge: fc.record({ kind: fc.constant('acknowledge'), pick, person }),
  resolve: fc.record({ kind: fc.constant('open the note modal'), pick, person }),
  submit: fc.record({ kind: fc.constant('submit the note'), person }),
  type: fc.record({ kind: fc.constant('type'), word: fc.constantFrom('ack', 'resolve'), pick, person }),
  acknowledgeAll: fc.record({ kind: fc.constant('acknowledge all'), pick, person }),
  snooze: fc.record({ kind: fc.constant('snooze'), pick, person }),
  unsnooze: fc.record({ kind: fc.constant('end a snooze'), pick, person }),
  undo: fc.record({ kind: fc.constant('undo'), pick, person }),
  openNote: fc.record({ kind: fc.constant('open the form of a note'), person }),
  openHome: fc.record({ kind: fc.constant('open the Home tab'), person }),
  deleteCard: fc.record({ kind: fc.constant('delete a card'), pick }),
  failCall: fc.record({
    kind: fc.constant('fail a call'),
    method: fc.constantFrom(...METHODS),
    fault: fc.constantFrom('stored-then-502', 'stored-then-502', 'internal_error', 'rate_limited'),
    calls: fc.integer({ min: 1, max: 3 }),
  }),
  limit: fc.record({
    kind: fc.constant('limit'),
    method: fc.constantFrom('*', ...METHODS),
    seconds: fc.constantFrom(30, 120, 600),
  }),
  slackAway: fc.record({ kind: fc.constant('Slack is away'), seconds }),
  cutSockets: fc.record({ kind: fc.constant('cut the sockets') }),
  dropAcks: fc.record({ kind: fc.constant('drop acknowledgements'), count: fc.integer({ min: 1, max: 2 }) }),
  duplicate: fc.record({ kind: fc.constant('duplicate events'), count: fc.integer({ min: 1, max: 3 }) }),
  serviceAway: fc.record({ kind: fc.constant('the service is away'), seconds }),
  serviceFails: fc.record({
    kind: fc.constant('the service fails'),
    method: fc.constantFrom('GET', 'POST'),
    fault: fc.constantFrom('drop before', 'drop after', 'answer 500'),
  }),
  shuffle: fc.record({ kind: fc.constant('shuffle the pages'), isOn: fc.boolean() }),
  kill: fc.record({
    kind: fc.constant('kill a bot'),
    pick,
    turns: fc.integer({ min: 0, max: 120 }),
    downMs: fc.integer({ min: 0, max: 40_000 }),
  }),
} as const;

export type Doing = {
  [Name in keyof typeof doing]: (typeof doing)[Name] extends fc.Arbitrary<infer Value> ? Value : never;
}[keyof typeof doing];

/** An event and the delay until the next one. */
export interface Step {
  readonly doing: Doing;
  readonly thenMs: number;
}

export interface Plan {
  /** `added`: the plain one with Tocsin's additions. */
  readonly shape: 'plain' | 'odd' | 'added';
  readonly steps: readonly Step[];
}

const anyDoing: fc.Arbitrary<Doing> = fc.oneof(
  { arbitrary: doing.open, weight: 10 },
  { arbitrary: doing.grow, weight: 4 },
  { arbitrary: doing.closeElsewhere, weight: 2 },
  { arbitrary: doing.acknowledge, weight: 7 },
  { arbitrary: doing.resolve, weight: 6 },
  { arbitrary: doing.submit, weight: 8 },
  { arbitrary: doing.type, weight: 3 },
  { arbitrary: doing.acknowledgeAll, weight: 2 },
  { arbitrary: doing.snooze, weight: 3 },
  { arbitrary: doing.unsnooze, weight: 2 },
  { arbitrary: doing.undo, weight: 2 },
  { arbitrary: doing.openNote, weight: 3 },
  { arbitrary: doing.openHome, weight: 2 },
  { arbitrary: doing.deleteCard, weight: 2 },
  { arbitrary: doing.failCall, weight: 6 },
  { arbitrary: doing.limit, weight: 1 },
  { arbitrary: doing.slackAway, weight: 1 },
  { arbitrary: doing.cutSockets, weight: 1 },
  { arbitrary: doing.dropAcks, weight: 1 },
  { arbitrary: doing.duplicate, weight: 1 },
  { arbitrary: doing.serviceAway, weight: 2 },
  { arbitrary: doing.serviceFails, weight: 3 },
  { arbitrary: doing.shuffle, weight: 1 },
  { arbitrary: doing.kill, weight: 4 },
);

const thenMs = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.integer({ min: 200, max: 3_000 }), weight: 8 },
  { arbitrary: fc.integer({ min: 5_000, max: 40_000 }), weight: 2 },
);

const anyStep = fc.record({ doing: anyDoing, thenMs }).map((step): readonly Step[] => [step]);

/** Somebody acts, the bot dies, they act again, and undo that: the first action must not be done afterwards. */
const actDieActAgainUndo = fc
  .record({
    what: fc.constantFrom('acknowledge', 'resolve', 'snooze', 'note'),
    pick,
    person,
    turns: fc.nat({ max: 40 }),
  })
  .map(({ what, pick: which, person: who, turns }): readonly Step[] => {
    const open: Doing = { kind: 'open', group: 'search', signals: 1 };
    const typed: Doing = { kind: 'type', word: 'resolve', pick: -1, person: who };
    const acts: Readonly<Record<typeof what, readonly Doing[]>> = {
      acknowledge: [{ kind: 'acknowledge', pick: -1, person: who }],
      resolve: [typed],
      snooze: [{ kind: 'snooze', pick: -1, person: who }],
      note: [
        { kind: 'open the form of a note', person: who },
        { kind: 'submit the note', person: who },
      ],
    };
    const back: Doing =
      what === 'snooze' ? { kind: 'end a snooze', pick: -1, person: who } : { kind: 'undo', pick: -1, person: who };
    const die: Doing = { kind: 'kill a bot', pick: which, turns, downMs: 20_000 };
    const again = acts[what].map((doing) => ({ doing, thenMs: 3_000 }));
    return [
      { doing: open, thenMs: 5_000 },
      ...acts[what].map((doing, index) => ({ doing, thenMs: index < acts[what].length - 1 ? 1_000 : 0 })),
      { doing: die, thenMs: 1_000 },
      ...again,
      { doing: back, thenMs: 3_000 },
    ];
  });

const someSteps = fc.oneof({ arbitrary: anyStep, weight: 20 }, { arbitrary: actDieActAgainUndo, weight: 1 });

export interface PlanSize {
  readonly steps: number;
  /** Number of incidents that open at once after the first steps. */
  readonly burst?: number;
}

const BEFORE_BURST = 5;

/** Returns the same plan for the same seed and size. */
export function planOf(seed: number, { steps, burst = 0 }: PlanSize): Plan {
  const shape = fc.record({
    shape: fc.constantFrom('plain', 'odd', 'added', 'added'),
    steps: fc.array(someSteps, { minLength: steps, maxLength: steps, size: 'max' }).map((some) => some.flat()),
    opened: fc.array(doing.open, { minLength: burst, maxLength: burst, size: 'max' }),
  });
  const [plan] = fc.sample(shape, { seed, numRuns: 1 });
  if (plan === undefined) {
    throw new Error('there is no plan');
  }
  const storm = plan.opened.map((opening) => ({ doing: opening, thenMs: 0 }));
  return { shape: plan.shape, steps: plan.steps.toSpliced(BEFORE_BURST, 0, ...storm) };
}
