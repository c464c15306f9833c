import { between, pick, type Random, wholeBetween } from '../random.ts';
import type { Place } from '../systems/system.ts';
import type { Effect } from './fault.ts';
import type { FaultKind } from './kinds.ts';

const REASONS = [
  'null reference in handler',
  'index out of range',
  'invalid state transition',
  'no merchant account',
  'schema version mismatch',
  'unexpected end of input',
  'constraint violated',
  'assertion failed',
  'cannot read property of undefined',
  'division by zero',
];

const isService = ({ kind }: Place) => kind === 'service';

/** Faults in which requests are answered, with an error. */
export const FAILING_KINDS: Readonly<Record<string, FaultKind>> = {
  errors: {
    suits: isService,
    draw: (random) => always({ ...failing(random, 0.3, 1), isLogged: true }),
  },
  'errors without logs': {
    suits: isService,
    draw: (random) => always(failing(random, 0.3, 1)),
  },
  'one operation fails': {
    suits: isService,
    hitsOneOperation: true,
    draw: (random) => always({ ...failing(random, 0.6, 1), isLogged: random.next() < 0.6 }),
  },
  'bad deploy': {
    suits: isService,
    hasChange: true,
    draw: (random) =>
      always({ ...failing(random, 0.15, 0.8), isLogged: random.next() < 0.7, selfFactor: between(random, 1, 2) }),
  },
  'one bad instance': {
    suits: ({ kind, instances }) => kind === 'service' && instances.length > 1,
    hitsOneInstance: true,
    draw: (random) => always({ ...failing(random, 0.7, 1), isLogged: random.next() < 0.6 }),
  },
};

function always(effect: Partial<Effect>): () => Partial<Effect> {
  return () => effect;
}

function failing(random: Random, low: number, high: number): Partial<Effect> {
  const code = `${pick(random, ['E', 'ERR-', 'code ', '#'])}${wholeBetween(random, 10, 9_999)}`;
  return { failedShare: between(random, low, high), reason: `${pick(random, REASONS)} (${code})` };
}
