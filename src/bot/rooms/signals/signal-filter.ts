import { z } from 'zod';
import { SIGNAL_TYPES, type Signal, SignalType } from '../../../contract/resources.ts';
import { cut } from '../../blocks/mrkdwn.ts';

/** Times back from now that the filter offers, in milliseconds. */
export const PERIODS = {
  '15m': { label: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { label: 'Last hour', ms: 60 * 60_000 },
  '24h': { label: 'Last 24 hours', ms: 24 * 60 * 60_000 },
} as const;
const PERIOD_NAMES = ['15m', '1h', '24h'] as const satisfies readonly (keyof typeof PERIODS)[];

/** The value of an option, which Slack limits. Longer names of services are shortened. */
const OPTION_LENGTH = 75;

/** null: all. */
export const SignalFilter = z.object({
  type: SignalType.nullable(),
  service: z.string().max(OPTION_LENGTH).nullable(),
  period: z.enum(PERIOD_NAMES).nullable(),
});
export type SignalFilter = z.infer<typeof SignalFilter>;

export const ALL_SIGNALS: SignalFilter = { type: null, service: null, period: null };

/** When a signal was last seen; null: the service does not say. */
export function seenAt({ last_seen_at, observed_at, received_at }: Signal): Date | null {
  const at = new Date(last_seen_at ?? observed_at ?? received_at ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** The name of a service as the value of an option. */
export function serviceOption(service: string): string {
  return cut(service, OPTION_LENGTH) || 'unknown';
}

/** The signals that match, most recently seen first. */
export function filterSignals(signals: readonly Signal[], filter: SignalFilter, now: Date): Signal[] {
  const { type, service, period } = filter;
  const since = period === null ? null : now.getTime() - PERIODS[period].ms;
  return signals
    .filter(
      (signal) =>
        (type === null || signal.type === type) &&
        (service === null || serviceOption(signal.service) === service) &&
        (since === null || (seenAt(signal)?.getTime() ?? 0) >= since),
    )
    .sort((one, other) => (seenAt(other)?.getTime() ?? 0) - (seenAt(one)?.getTime() ?? 0));
}

/** How many signals each kind and each service has, the most first. */
export function countSignals(signals: readonly Signal[]): {
  readonly types: ReadonlyMap<SignalType, number>;
  readonly services: ReadonlyMap<string, number>;
} {
  const types = SIGNAL_TYPES.map((type) => [type, signals.filter((signal) => signal.type === type).length] as const);
  const services = new Map<string, number>();
  for (const { service } of signals) {
    const name = serviceOption(service);
    services.set(name, (services.get(name) ?? 0) + 1);
  }
  return {
    types: new Map(types.filter(([, count]) => count > 0)),
    services: new Map([...services].sort(([one, ones], [other, others]) => others - ones || one.localeCompare(other))),
  };
}
