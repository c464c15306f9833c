import { Incident, type IncidentSummary } from '../../contract/resources.ts';

/**
 * What is known already, with what an answer says laid over it. Fields that the answer leaves out stay, but those of the
 * acknowledgement and the closing, when it says that a closed incident is open again.
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
 * Whatever the order of the keys: PostgreSQL gives them back in its own. That the service touched it is no news: it may
 * do so at every signal, and nobody sees anything of it.
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

/** What cards and answers show; the rest would only grow our tables. */
function shownFields(incident: Incident): Incident {
  const { signals: _signals, similar: _similar, correlation: _correlation, timeline: _timeline, ...fields } = incident;
  const { id, status, signal_count, root_service, opened_at } = fields;
  const shown = Object.entries(fields).filter(
    ([key, value]) => value !== undefined && Object.hasOwn(Incident.shape, key),
  );
  return { id, status, signal_count, root_service, opened_at, ...Object.fromEntries(shown) };
}

/** jsonb takes neither NUL nor half a surrogate pair, and text from outside may hold both. */
function storable(incident: Incident): Incident {
  return JSON.parse(JSON.stringify(incident), (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  );
}
