import fc from 'fast-check';
import { PEOPLE } from './people.ts';

const METHODS = [
  'chat.postMessage',
  'chat.update',
  'chat.postEphemeral',
  'conversations.history',
  'response_url',
] as const;

const person = fc.constantFrom(...PEOPLE);
/** Fields of the form "Change incident". */
const FIELDS = ['title', 'severity', 'root', 'lead', 'communications'] as const;
export type Field = (typeof FIELDS)[number];

/** Selects one of the candidates that exist at the time; -1: the newest. */
const pick = fc.nat({ max: 999 });
/** The number in the name of a service that nothing else is about. */
const subject = fc.nat({ max: 3 });
const seconds = fc.integer({ min: 5, max: 90 });

const doing = {
  open: fc.record({
    kind: fc.constant('open'),
    group: fc.constantFrom('checkout', 'search', 'ledger'),
    signals: fc.integer({ min: 2, max: 4 }),
  }),
  grow: fc.record({ kind: fc.constant('grow'), pick }),
  closeElsewhere: fc.record({ kind: fc.constant('close elsewhere'), pick }),
  acknowledge: fc.record({ kind: fc.constant('acknowledge'), pick, person }),
  resolve: fc.record({ kind: fc.constant('open the note modal'), pick, person }),
  submit: fc.record({ kind: fc.constant('submit the form'), person }),
  type: fc.record({ kind: fc.constant('type'), word: fc.constantFrom('ack', 'resolve'), pick, person }),
  acknowledgeAll: fc.record({ kind: fc.constant('acknowledge all'), pick, person }),
  snooze: fc.record({ kind: fc.constant('snooze'), pick, person }),
  unsnooze: fc.record({ kind: fc.constant('end a snooze'), pick, person }),
  undo: fc.record({ kind: fc.constant('undo'), label: fc.constant('Undo'), pick, person }),
  cancel: fc.record({ kind: fc.constant('undo'), label: fc.constant('Cancel'), pick, person }),
  declare: fc.record({ kind: fc.constant('declare'), subject, person }),
  openChange: fc.record({
    kind: fc.constant('open the form of a change'),
    field: fc.constantFrom(...FIELDS),
    pick,
    person,
  }),
  mute: fc.record({ kind: fc.constant('mute'), isPlanned: fc.boolean(), subject, person }),
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
  slowNetwork: fc.record({ kind: fc.constant('the network delays a write'), seconds: fc.integer({ min: 2, max: 60 }) }),
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
  { arbitrary: doing.undo, weight: 3 },
  { arbitrary: doing.cancel, weight: 1 },
  { arbitrary: doing.declare, weight: 1 },
  { arbitrary: doing.openChange, weight: 4 },
  { arbitrary: doing.mute, weight: 2 },
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
  { arbitrary: doing.slowNetwork, weight: 4 },
  { arbitrary: doing.shuffle, weight: 1 },
  { arbitrary: doing.kill, weight: 4 },
);

const thenMs = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.integer({ min: 200, max: 3_000 }), weight: 8 },
  { arbitrary: fc.integer({ min: 5_000, max: 40_000 }), weight: 2 },
);

const anyStep = fc.record({ doing: anyDoing, thenMs }).map((step): readonly Step[] => [step]);

interface UndoableAction {
  readonly acts: readonly Doing[];
  /** Takes it back; null: nothing does. */
  readonly back: Doing | null;
}

/** What `person` does to the newest incident, or to a service with the number `subject`, by kind. */
function undoableActions(who: (typeof PEOPLE)[number], subjectOf: number) {
  const newest = { pick: -1, person: who } as const;
  const named = { subject: subjectOf, person: who } as const;
  const submit = { kind: 'submit the form', person: who } as const;
  const undo = { kind: 'undo', label: 'Undo', ...newest } as const;
  const change = (field: Field): UndoableAction => ({
    acts: [{ kind: 'open the form of a change', field, ...newest }, submit],
    back: undo,
  });
  return {
    acknowledge: { acts: [{ kind: 'acknowledge', ...newest }], back: undo },
    resolve: { acts: [{ kind: 'type', word: 'resolve', ...newest }], back: undo },
    snooze: { acts: [{ kind: 'snooze', ...newest }], back: { kind: 'end a snooze', ...newest } },
    note: { acts: [{ kind: 'open the form of a note', person: who }, submit], back: null },
    title: change('title'),
    severity: change('severity'),
    root: change('root'),
    lead: change('lead'),
    communications: change('communications'),
    declare: { acts: [{ kind: 'declare', ...named }], back: null },
    mute: { acts: [{ kind: 'mute', isPlanned: false, ...named }], back: undo },
    'planned mute': { acts: [{ kind: 'mute', isPlanned: true, ...named }], back: { ...undo, label: 'Cancel' } },
  } as const satisfies Readonly<Record<string, UndoableAction>>;
}

type ActionName = keyof ReturnType<typeof undoableActions>;
const ACTION_NAMES = Object.keys(undoableActions('ana', 0)) as ActionName[]; // the keys of the table

/** Somebody acts, the bot dies, they act again, and undo that: the first action must not be done afterwards. */
const actDieActAgainUndo = fc
  .record({
    what: fc.constantFrom(...ACTION_NAMES),
    pick,
    person,
    subject: fc.integer({ min: 100, max: 999 }),
    turns: fc.nat({ max: 80 }),
  })
  .map(({ what, pick: which, person: who, subject: subjectOf, turns }): readonly Step[] => {
    const { acts, back }: UndoableAction = undoableActions(who, subjectOf)[what];
    const open: Doing = { kind: 'open', group: 'search', signals: 2 };
    const die: Doing = { kind: 'kill a bot', pick: which, turns, downMs: 20_000 };
    return [
      { doing: open, thenMs: 5_000 },
      ...acts.map((doing, index) => ({ doing, thenMs: index < acts.length - 1 ? 1_000 : 0 })),
      { doing: die, thenMs: 1_000 },
      ...acts.map((doing) => ({ doing, thenMs: 3_000 })),
      ...(back === null ? [] : [{ doing: back, thenMs: 3_000 }]),
    ];
  });

/** The request of what somebody does is slow: it is done by a repetition, and taken back before the first one arrives. */
const actSlowlyUndo = fc
  .record({ what: fc.constantFrom(...ACTION_NAMES), person, subject: fc.integer({ min: 100, max: 999 }) })
  .map(({ what, person: who, subject: subjectOf }): readonly Step[] => {
    const { acts, back }: UndoableAction = undoableActions(who, subjectOf)[what];
    return [
      { doing: { kind: 'open', group: 'search', signals: 2 }, thenMs: 5_000 },
      { doing: { kind: 'the network delays a write', seconds: 25 }, thenMs: 0 },
      ...acts.map((doing) => ({ doing, thenMs: 4_000 })),
      ...(back === null ? [] : [{ doing: back, thenMs: 20_000 }]),
    ];
  });

const someSteps = fc.oneof(
  { arbitrary: anyStep, weight: 20 },
  { arbitrary: actDieActAgainUndo, weight: 2 },
  { arbitrary: actSlowlyUndo, weight: 2 },
);

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
