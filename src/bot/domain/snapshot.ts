import { Incident, type IncidentSummary } from '../../contract/resources.ts';

/**
 * Merges a response into the stored incident. Fields that the response leaves out stay. If a closed incident is open
 * again, the fields of the acknowledgement and the closing are dropped.
 */
export function mergeSnapshot(before: Incident | null, incident: Incident | IncidentSummary): Incident {
  return storable({
    ...before,
    ...(before !== null && isReopened(before, incident) && FORGOTTEN),
    ...shownFields(incident),
  });
}

const FORGOTTEN = {
  acknowledged: undefined,
  acknowledged_at: undefined,
  acknowledged_by: undefined,
  closed_at: undefined,
  resolved_by: undefined,
  resolution_note: undefined,
} satisfies Partial<Incident>;

export function isReopened(before: Pick<Incident, 'status'>, after: Pick<Incident, 'status'>): boolean {
  return before.status === 'closed' && after.status === 'open';
}

/**
 * Compares without regard to the order of keys, which PostgreSQL changes. Ignores `updated_at`, which may change with
 * every signal and is not shown.
 */
export function isSameSnapshot(one: Incident, other: Incident): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  keys.delete('updated_at');
  return [...keys].every((key) => canonical(Reflect.get(one, key)) === canonical(Reflect.get(other, key)));
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Keeps only the fields that cards and answers show. */
function shownFields(incident: Incident): Incident {
  const { signals: _signals, similar: _similar, correlation: _correlation, timeline: _timeline, ...fields } = incident;
  const { id, status, signal_count, root_service, opened_at } = fields;
  const shown = Object.entries(fields).filter(
    ([key, value]) => value !== undefined && Object.hasOwn(Incident.shape, key),
  );
  return { id, status, signal_count, root_service, opened_at, ...Object.fromEntries(shown) };
}

/** Removes NUL and unpaired surrogates, which jsonb does not accept. */
function storable(incident: Incident): Incident {
  return JSON.parse(JSON.stringify(incident), (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  );
}
