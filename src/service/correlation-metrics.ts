import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { traceEnded } from '../runtime/traced.ts';
import type { StepReport } from './pipeline/pipeline-events.ts';
import type { CorrelatorEvents } from './pipeline/supervisor.ts';

/**
 * A step that took longer than this has a span, like one that opened incidents. The others are left out: there is one
 * each second, and with Tocsin's own spans among the telemetry they would cause each other for ever.
 */
const SLOW_STEP_MS = 500;

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** @param onOpened called with incidents that were opened */
export function measureCorrelation(
  registry: Registry,
  onOpened: (opened: StepReport['opened']) => void,
  onAlive = () => {},
): CorrelatorEvents {
  const registers = [registry];
  const durations = new Histogram({
    name: 'tocsin_correlation_step_cpu_seconds',
    help: 'Processor time that the engine takes for what it reads at once',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const items = new Counter({
    name: 'tocsin_correlation_items_total',
    help: 'Spans, log lines, metrics, alerts and changes that were correlated by this process',
    registers,
  });
  const lag = new Gauge({
    name: 'tocsin_correlation_lag_seconds',
    help: 'Age of the telemetry that correlation has reached, while more waits; 0: nothing waits',
    registers,
  });
  const setAside = new Counter({
    name: 'tocsin_correlation_set_aside_total',
    help: 'Times that correlation left something out because it failed or took too long; table set_aside has the causes',
    registers,
  });
  const restarts = new Counter({
    name: 'tocsin_correlation_restarts_total',
    help: 'Times that the thread of correlation ended and was started again',
    registers,
  });
  const snapshot = new Gauge({
    name: 'tocsin_correlation_snapshot_bytes',
    help: 'Size of the last snapshot of what correlation knows, compressed',
    registers,
  });
  return {
    alive: onAlive,
    stepped({ opened, items: read, cpuMs, durationMs, lagMs }) {
      durations.observe(cpuMs / 1_000);
      items.inc(read);
      lag.set(lagMs / 1_000);
      if (opened.ids.length > 0 || durationMs >= SLOW_STEP_MS) {
        const attributes = { 'tocsin.telemetry_items': read, 'tocsin.incidents_opened': opened.ids.length };
        traceEnded({ name: 'correlate', kind: 'internal', attributes }, durationMs);
      }
      if (opened.ids.length > 0) {
        onOpened(opened);
      }
    },
    setAside: () => setAside.inc(),
    restarted: () => restarts.inc(),
    snapshotTaken: (bytes) => snapshot.set(bytes),
  };
}
