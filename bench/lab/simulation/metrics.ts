import type { Row } from '../../correlation/rows.ts';
import { logNormal, type Random } from '../random.ts';
import type { MetricHabit, MetricSource, Place, System } from '../systems/system.ts';
import type { Effects } from './effects.ts';
import { type CountServed, iso, type Send } from './emit.ts';

/** Counts what instances do, and reports their metrics at even times. */
export interface Metrics {
  readonly count: CountServed;
  readonly report: (at: number) => void;
}

interface Counted {
  requests: number;
  totalMs: number;
  failed: number;
}

const HOUR_MS = 3_600_000;

export function createMetrics(
  system: System,
  random: Random,
  effects: Effects,
  startedAt: number,
  send: Send,
): Metrics {
  const counted = new Map<string, Counted>();
  const take = (place: Place, instance: number): Counted => {
    const key = `${place.id}/${instance}`;
    const known = counted.get(key) ?? { requests: 0, totalMs: 0, failed: 0 };
    counted.set(key, known);
    return known;
  };
  const measure = (place: Place, instance: number, { source }: MetricHabit, now: Counted): number | null => {
    const effect = effects.of(place, instance);
    const load = now.requests / (system.metricsEveryMs / 1_000) / 100;
    const base = 0.1 + ((place.id * 37) % 40) / 100;
    const known: Readonly<Record<MetricSource, number | null>> = {
      cpu: effect.cpu ?? base + load,
      memory: effect.memory ?? base + 0.15,
      disk: effect.disk ?? base,
      duration: now.requests === 0 ? null : now.totalMs / now.requests / 1_000,
      failures: now.failed,
      backlog: Math.floor(load * 10) + effect.backlogMs / 200,
      random: base,
    };
    return known[source];
  };
  return {
    count: (place, instance, ms, isFailed) => {
      if (place.habit.metrics.length > 0) {
        const now = take(place, instance);
        now.requests += 1;
        now.totalMs += ms;
        now.failed += isFailed ? 1 : 0;
      }
    },
    report: (at) => {
      const hours = (at - startedAt) / HOUR_MS;
      for (const place of system.places) {
        for (const [instance, name] of place.habit.metrics.length === 0 ? [] : place.instances.entries()) {
          const now = take(place, instance);
          const isGone = effects.of(place, instance).refusedShare === 1;
          for (const habit of isGone ? [] : place.habit.metrics) {
            const value = measure(place, instance, habit, now);
            if (value !== null) {
              const isExact = habit.source === 'duration' || habit.source === 'failures';
              const factor = isExact ? 1 : logNormal(random, habit.noise) * (1 + habit.driftPerHour * hours);
              send(metricRow(place, name, habit, value * factor, at), at + 500);
            }
          }
          counted.delete(`${place.id}/${instance}`);
        }
      }
    },
  };
}

function metricRow(place: Place, instance: string, { source, name }: MetricHabit, value: number, at: number): Row {
  const isShare = source === 'cpu' || source === 'memory' || source === 'disk' || source === 'random';
  return {
    kind: 'metric',
    service: place.name,
    timestamp: iso(at + place.skewMs),
    name,
    value: isShare ? Math.min(1, value) : value,
    instance,
    ...FORMS[source],
  };
}

const GAUGE = { form: 'gauge', unit: '1' } as const;
const FORMS: Readonly<Record<MetricSource, Pick<Row, 'form' | 'unit'>>> = {
  cpu: GAUGE,
  memory: GAUGE,
  disk: GAUGE,
  random: GAUGE,
  backlog: GAUGE,
  duration: { form: 'histogram', unit: 's' },
  failures: { form: 'sum', unit: '1' },
};
