import { between, chance, logBetween, pick, pickWeighted, type Random, wholeBetween } from '../random.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { Namer } from './names.ts';
import type { Parameters } from './parameters.ts';
import type { Habit, MetricHabit, MetricSource, Noise } from './system.ts';

/** What most services of a system have in common: one platform team chose it. */
export interface HouseStyle {
  readonly namesPeers: boolean;
  readonly tellsKind: boolean;
  readonly sendsMetrics: boolean;
  readonly sendsLogs: boolean;
  /** Usual share of failures by themselves. */
  readonly noise: number;
}

export function drawHouseStyle(random: Random, parameters: Parameters): HouseStyle {
  return {
    namesPeers: chance(random, parameters.namesPeers),
    tellsKind: chance(random, parameters.tellsKind),
    sendsMetrics: chance(random, parameters.sendsMetrics),
    sendsLogs: chance(random, parameters.sendsLogs),
    noise: pick(random, parameters.noise),
  };
}

export function drawHabit(random: Random, words: Vocabulary, namer: Namer, style: HouseStyle): Habit {
  const isUsual = chance(random, 0.85);
  const spans = pickWeighted(random, [
    ['all', 0.82],
    ['server', 0.14],
    ['none', 0.04],
  ] as const);
  return {
    spans,
    namesPeers: style.namesPeers === isUsual,
    tellsKind: style.tellsKind === isUsual,
    steps: Array.from({ length: chance(random, 0.25) ? wholeBetween(random, 1, 2) : 0 }, () => namer.step()),
    status: pickWeighted(random, [
      ['error', 0.62],
      ['http', 0.33],
      ['none', 0.05],
    ] as const),
    logs: drawLogs(random, style, spans),
    infoLine: pick(random, words.infoLines),
    errorLine: pick(random, words.errorLines),
    metrics: style.sendsMetrics && chance(random, 0.85) ? drawMetrics(random) : [],
  };
}

function drawLogs(random: Random, { sendsLogs }: HouseStyle, spans: Habit['spans']): Habit['logs'] {
  if (spans === 'none') {
    return 'all';
  }
  return !sendsLogs || chance(random, 0.15) ? 'none' : pick(random, ['all', 'errors', 'errors', 'untraced']);
}

const METRIC_NAMES: Readonly<Record<MetricSource, readonly string[]>> = {
  cpu: [
    'process.cpu.utilization',
    'container.cpu.utilization',
    'jvm.cpu.recent_utilization',
    'k8s.pod.cpu.utilization',
  ],
  memory: ['process.memory.utilization', 'container.memory.utilization', 'jvm.memory.heap.utilization'],
  disk: ['system.filesystem.utilization', 'k8s.volume.utilization'],
  duration: ['http.server.request.duration', 'rpc.server.duration'],
  failures: ['http.server.errors', 'app.requests.failed', 'rpc.failures'],
  backlog: ['worker.queue.depth', 'consumer.lag', 'executor.pending'],
  random: ['process.open_sockets.utilization', 'pool.idle.utilization', 'gc.pressure.utilization'],
};

function drawMetrics(random: Random): MetricHabit[] {
  const sources: MetricSource[] = ['cpu', 'memory'];
  const others: MetricSource[] = ['disk', 'duration', 'failures', 'backlog', 'random'];
  return [...sources, ...others.filter(() => chance(random, 0.45))].map((source) => ({
    source,
    name: pick(random, METRIC_NAMES[source]),
    noise: logBetween(random, 0.02, 0.25),
    driftPerHour: chance(random, 0.2) ? between(random, -0.1, 0.15) : 0,
  }));
}

export function drawNoise(random: Random, words: Vocabulary, style: HouseStyle): Noise {
  const isNoisy = chance(random, 0.5);
  const isBursty = chance(random, 0.3);
  return {
    failedShare: isNoisy ? Math.min(0.05, style.noise * logBetween(random, 0.3, 3)) : 0,
    burst: isBursty ? between(random, 2, 3) : 1,
    rejectedShare: chance(random, 0.25) ? logBetween(random, 0.002, 0.08) : 0,
    idleErrorsPerMinute: chance(random, 0.12) ? logBetween(random, 0.2, 20) : 0,
    idleError: pick(random, words.idleErrors),
    pauseShare: chance(random, 0.2) ? logBetween(random, 0.0005, 0.01) : 0,
    pauseMs: logBetween(random, 50, 800),
  };
}

/** Places without telemetry of their own still fail now and then. */
export const NO_HABIT: Habit = {
  spans: 'none',
  namesPeers: false,
  tellsKind: false,
  steps: [],
  status: 'error',
  logs: 'none',
  infoLine: '',
  errorLine: '',
  metrics: [],
};
