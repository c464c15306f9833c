import type { Adjustments } from './systems/adjustments.ts';
import type { Habit, Place } from './systems/system.ts';

/** One hardship in an otherwise ordinary system, to see which one the engine cannot bear. */
export interface Scenario {
  readonly title: string;
  readonly kinds: readonly string[];
  readonly adjust: Adjustments;
  /** Rows before sampling, at most. Absent: as for the others. */
  readonly mostRows?: number;
}

const USUAL_KINDS = ['errors', 'dead process', 'slow by 1 s', 'slow network in', 'hang', 'one bad instance'];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  plain: { title: 'nothing hard: every span, names of peers, no noise', kinds: USUAL_KINDS, adjust: { place: plain } },
  'bursty noise': {
    title: 'services fail 1.5 % of their requests, three in a row',
    kinds: USUAL_KINDS,
    adjust: { place: withNoise({ failedShare: 0.015, burst: 3 }) },
  },
  'much noise': {
    title: 'a third of the services fails 5 % of its requests',
    kinds: USUAL_KINDS,
    adjust: { place: everyThird(withNoise({ failedShare: 0.05 })) },
  },
  'lines of ERROR': {
    title: 'every service writes ten lines of ERROR a minute that mean nothing',
    kinds: ['errors without logs', 'dead process', 'slow by 0.1 s'],
    adjust: { place: withNoise({ idleErrorsPerMinute: 10 }) },
  },
  'noisy metrics': {
    title: 'metrics of every service jump by 40 % and drift by 30 % an hour',
    kinds: ['CPU saturated', 'memory until OOM', 'errors'],
    adjust: { place: noisyMetrics },
  },
  night: {
    title: 'ten requests a minute',
    kinds: ['errors', 'dead process', 'slow by 1 s', 'database gone'],
    adjust: { place: plain, traffic: { perSecond: 1 / 6 }, parameters: { mostSteps: [6, 10] } },
  },
  'no client spans': {
    title: 'spans of servers only',
    kinds: USUAL_KINDS,
    adjust: { place: withHabit({ spans: 'server' }) },
  },
  'no names of peers': {
    title: 'client spans do not name what they call',
    kinds: USUAL_KINDS,
    adjust: { place: withHabit({ namesPeers: false, tellsKind: true }) },
  },
  'no status': {
    title: 'failed spans look like any other, only lines tell',
    kinds: ['errors', 'dead process', 'disk full'],
    adjust: { place: withHabit({ status: 'none', logs: 'errors' }) },
  },
  'no traces': {
    title: 'lines and metrics only',
    kinds: ['errors', 'disk full', 'CPU saturated'],
    adjust: { place: withHabit({ spans: 'none', logs: 'all' }) },
  },
  clocks: {
    title: 'clocks of a third of the services are four minutes off',
    kinds: USUAL_KINDS,
    adjust: { place: everyThird((place) => ({ ...place, skewMs: place.id % 2 === 0 ? -240_000 : 240_000 })) },
  },
  'late spans': {
    title: 'spans of a third of the services come 40 s late',
    kinds: USUAL_KINDS,
    adjust: { place: everyThird((place) => ({ ...place, lateMs: 40_000 })) },
  },
  'sampled traces': {
    title: 'one trace in ten is sent',
    kinds: USUAL_KINDS,
    adjust: { traffic: { perSecond: 4, sampledShare: 0.1 }, parameters: { mostSteps: [6, 10] } },
    mostRows: 400_000,
  },
  'lost spans': { title: 'one span in twenty is lost', kinds: USUAL_KINDS, adjust: { traffic: { lostShare: 0.05 } } },
  'lost batches': {
    title: 'one batch of spans or lines in ten is lost',
    kinds: USUAL_KINDS,
    adjust: { traffic: { lostBatchShare: 0.1 } },
  },
  'repeated batches': {
    title: 'every batch of spans or lines is sent twice',
    kinds: USUAL_KINDS,
    adjust: { traffic: { repeatedBatchShare: 1 } },
  },
  retries: {
    title: 'every call is made up to three times',
    kinds: ['errors', 'dead process', 'packet loss', 'one bad instance'],
    adjust: { parameters: { retriedShare: 1 } },
  },
  consumers: {
    title: 'half of the calls go through queues',
    kinds: ['errors', 'queue backlog', 'dead process', 'slow by 1 s'],
    adjust: { parameters: { queuedShare: 0.5 } },
  },
  'silent peers': {
    title: 'faults of databases, caches and vendors, which send nothing',
    kinds: ['database gone', 'database slow', 'vendor fails', 'vendor slow', 'expired certificate'],
    adjust: {
      place: withHabit({ spans: 'all', namesPeers: true }),
      parameters: { databaseShare: 0.7, vendorShare: 0.3 },
    },
  },
};

const QUIET = { failedShare: 0, burst: 1, rejectedShare: 0, idleErrorsPerMinute: 0, pauseShare: 0 };

function plain(place: Place): Place {
  return withHabit({ spans: 'all', namesPeers: true, tellsKind: true, status: 'error' })(withNoise(QUIET)(place));
}

function withNoise(noise: Partial<Place['noise']>): (place: Place) => Place {
  return (place) => ({ ...place, noise: { ...place.noise, ...noise } });
}

function withHabit(habit: Partial<Habit>): (place: Place) => Place {
  return (place) => (place.kind === 'service' ? { ...place, habit: { ...place.habit, ...habit } } : place);
}

function everyThird(change: (place: Place) => Place): (place: Place) => Place {
  return (place) => (place.id % 3 === 1 ? change(place) : place);
}

function noisyMetrics(place: Place): Place {
  const metrics = place.habit.metrics.map((metric) => ({ ...metric, noise: 0.4, driftPerHour: 0.3 }));
  return withHabit({ metrics })(place);
}
