import { sql, type Transaction } from 'kysely';
import { subDays } from '../../../runtime/dates.ts';
import { locateAlert, type NamedAlert } from '../../core/alert-place.ts';
import type { ObservedSignal } from '../../core/signal.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Alerts of a name are compared with those of the last days. */
const COMPARED_DAYS = 7;
/** The newest of a name, and how many different ones of these. */
const READ = 200;
const COMPARED = 20;

/**
 * Says where alerts fire, by comparing those of one name and sender. Needs the lock of `lockWriters`, so that of two that
 * arrive at once one sees the other.
 */
export async function locateAlerts(
  tx: Transaction<ServiceTables>,
  signals: readonly ObservedSignal[],
  now: Date,
): Promise<ObservedSignal[]> {
  const alerts = signals.flatMap((signal) => {
    const named = namedOf(signal);
    return named === null ? [] : [{ key: keyOf(signal.sender ?? null, named.name), sender: signal.sender, named }];
  });
  if (alerts.length === 0) {
    return [...signals];
  }
  const names = [...new Map(alerts.map((alert) => [alert.key, alert])).values()];
  const { rows } = await sql<{ sender: string | null; name: string; labels: NamedAlert['labels'] }>`
    select wanted.sender, wanted.name, seen.labels
    from unnest(${names.map(({ sender = null }) => sender)}::text[], ${names.map(({ named }) => named.name)}::text[])
      as wanted(sender, name)
      cross join lateral (
        select distinct detail #> '{named,labels}' as labels
        from (
          select detail from signals
          where detail #>> '{named,name}' = wanted.name and signals.sender is not distinct from wanted.sender
            and observed_at > ${subDays(now, COMPARED_DAYS)}
          order by observed_at desc limit ${READ}
        ) as newest
        limit ${COMPARED}
      ) as seen
  `.execute(tx);
  const stored = rows.map(({ sender, name, labels }) => ({ key: keyOf(sender, name), labels }));
  const arriving = alerts.map(({ key, named: { labels } }) => ({ key, labels }));
  const seen = Map.groupBy([...stored, ...arriving], ({ key }) => key);
  return signals.map((signal) => {
    const named = namedOf(signal);
    if (named === null || signal.detail.type !== 'alert') {
      return signal;
    }
    const others = (seen.get(keyOf(signal.sender ?? null, named.name)) ?? []).slice(0, 2 * COMPARED);
    const { service, place } = locateAlert(
      named,
      signal.service,
      others.map(({ labels }) => labels),
    );
    return { ...signal, service, detail: { ...signal.detail, place } };
  });
}

function namedOf({ detail }: ObservedSignal): NamedAlert | null {
  return detail.type === 'alert' ? (detail.named ?? null) : null;
}

function keyOf(sender: string | null, name: string): string {
  return JSON.stringify([sender, name]);
}
