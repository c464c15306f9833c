import { Incident, type IncidentSummary } from '../../contract/resources.ts';

/** What is stored of an incident: what cards and answers show. */
export interface Snapshot extends Omit<Incident, 'signals' | 'signals_removed' | 'correlation' | 'timeline'> {
  /** The two likeliest root services; empty: the service is sure of `root_service`; absent: not read. */
  readonly possible_roots?: readonly string[] | undefined;
}

/** Confidence below which the root service is not named as a fact. */
const UNSURE_BELOW = 0.25;
/** While a failure goes on, its card is edited at most this often to show when it was last seen. */
const SEEN_AGAIN_MS = 60_000;
/** Two are shown, and one of them may be the previous incident, which is shown elsewhere. */
const KEPT_SIMILAR = 3;
const KEPT_NOTE_LENGTH = 200;

/**
 * Merges a response into the stored incident. Fields that the response leaves out stay. If a closed incident is open
 * again, the fields of the acknowledgement and the closing are dropped. If other services fail, the possible roots are
 * unknown until they are read again.
 */
export function mergeSnapshot(before: Snapshot | null, incident: Incident | IncidentSummary): Snapshot {
  const merged = {
    ...before,
    ...(before !== null && isReopened(before, incident) && FORGOTTEN),
    ...(before !== null && hasOtherServices(before, incident) && { possible_roots: undefined }),
    ...shownFields(incident),
  };
  return storable(isSeenAgain(before, merged) ? merged : { ...merged, last_seen_at: before?.last_seen_at });
}

/**
 * Whether the single incident may tell more than is stored. Only services that report the activity of incidents have
 * more to tell.
 */
export function lacksDetails({ status, activity, possible_roots: roots }: Snapshot): boolean {
  return status === 'open' && activity !== undefined && roots?.length !== 0;
}

const FORGOTTEN = {
  acknowledged: undefined,
  acknowledged_at: undefined,
  acknowledged_by: undefined,
  closed_at: undefined,
  resolved_by: undefined,
  resolution_note: undefined,
  merged_into: undefined,
} satisfies Partial<Incident>;

export function isReopened(before: Pick<Incident, 'status'>, after: Pick<Incident, 'status'>): boolean {
  return before.status === 'closed' && after.status === 'open';
}

/**
 * Compares without regard to the order of keys, which PostgreSQL changes. Ignores `updated_at`, which may change with
 * every signal and is not shown.
 */
export function isSameSnapshot(one: Snapshot, other: Snapshot): boolean {
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

function hasOtherServices(before: Snapshot, after: Incident): boolean {
  const namesOf = ({ root_service, services = [] }: Snapshot) => JSON.stringify([root_service, ...services.toSorted()]);
  return namesOf(before) !== namesOf({ ...before, ...after });
}

/** False if the failure was only seen a moment later. */
function isSeenAgain(before: Snapshot | null, after: Snapshot): boolean {
  const [then = '', now = ''] = [before?.last_seen_at, after.last_seen_at];
  const passedMs = Date.parse(now) - Date.parse(then);
  return before?.activity !== after.activity || !(passedMs >= 0 && passedMs < SEEN_AGAIN_MS);
}

/** Keeps only the fields that cards and answers show. */
function shownFields(incident: Incident): Snapshot {
  const { signals: _signals, similar, correlation, timeline: _timeline, ...fields } = incident;
  const { id, status, signal_count, root_service, opened_at } = fields;
  const shown = Object.entries(fields).filter(
    ([key, value]) => value !== undefined && Object.hasOwn(Incident.shape, key),
  );
  return {
    id,
    status,
    signal_count,
    root_service,
    opened_at,
    ...Object.fromEntries(shown),
    ...(correlation?.candidates !== undefined && { possible_roots: possibleRoots(correlation) }),
    ...(similar !== undefined && { similar: fixes(similar) }),
  };
}

function possibleRoots({ confidence, candidates = [] }: NonNullable<Incident['correlation']>): string[] {
  return confidence < UNSURE_BELOW ? candidates.slice(0, 2).map(({ service }) => service) : [];
}

/** Incidents that a person closed with a note. Other notes say only why the service closed the incident. */
function fixes(similar: NonNullable<Incident['similar']>): NonNullable<Incident['similar']> {
  return similar
    .filter(({ resolution_note: note, resolved_by: user }) => (note ?? '').trim() !== '' && (user ?? '') !== '')
    .slice(0, KEPT_SIMILAR)
    .map((each) => ({ ...each, resolution_note: each.resolution_note?.slice(0, KEPT_NOTE_LENGTH) }));
}

/** Removes NUL and unpaired surrogates, which jsonb does not accept. */
function storable(incident: Snapshot): Snapshot {
  return JSON.parse(JSON.stringify(incident), (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  );
}
