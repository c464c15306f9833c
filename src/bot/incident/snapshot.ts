import { type Correlation, Incident, type IncidentSummary, type TimelineEntry } from '../../contract/resources.ts';
import { possibleRoots } from '../../incident/root.ts';

/** What is stored of an incident: what cards and answers show. */
export interface Snapshot
  extends Omit<Incident, 'signals' | 'signals_removed' | 'correlation' | 'timeline' | 'teaches'> {
  /** The two likeliest root services; empty: the service is sure of `root_service`; absent: not read. */
  readonly possible_roots?: readonly string[] | undefined;
  /** How far the root service stands out from the others, in percent; absent: not read. */
  readonly root_confidence?: number | undefined;
  /** The strongest reason for the root service, one sentence; absent: not read, or there is none. */
  readonly root_reason?: string | undefined;
  /** Alerts that other systems sent, with their places, the first first; absent: not read, or there are none. */
  readonly alerts?: readonly string[] | undefined;
  /** Where all lost requests ran, and next to no good one; absent: not read, or there is no such place. */
  readonly only_in?: { readonly attribute: string; readonly value: string } | undefined;
  /** Who said in which incident that this is the root; absent: not read, or nobody did. */
  readonly taught_root?: Correlation['taught_root'];
  /** `last_seen_at` when the fields above were read. */
  readonly roots_read_at?: string | undefined;
  /** The last time that somebody took back an acknowledgement or a closing; absent: nobody has, or not read. */
  readonly taken_back?: TimelineEntry | undefined;
}

/** While a failure goes on, its card is edited at most this often to show when it was last seen, and at what rate. */
const SEEN_AGAIN_MS = 60_000;
/** The same in the first minute, in which the harm grows most. */
const SEEN_AGAIN_AT_FIRST_MS = 15_000;
const KEPT_REASON_LENGTH = 200;
/** Two are shown, and one of them may be the previous incident, which is shown elsewhere. */
const KEPT_SIMILAR = 3;
const KEPT_NOTE_LENGTH = 200;

/**
 * Merges a response into the stored incident. Fields that the response leaves out stay. If a closed incident is open
 * again, the fields of the acknowledgement and the closing are dropped. If other services fail, the possible roots are
 * unknown until they are read again.
 *
 * Some fields change all the time while nothing new happens. Each change would edit the card, so they are taken over
 * only with a later `last_seen_at`: the harm, and the rate, which has a new minute every minute. One trace is as good as
 * another, so the first is kept.
 */
export function mergeSnapshot(before: Snapshot | null, incident: Incident | IncidentSummary): Snapshot {
  const merged = {
    ...before,
    ...(before !== null && isReopened(before, incident) && FORGOTTEN),
    ...(before !== null && hasOtherServices(before, incident) && NO_ROOTS),
    ...shownFields(incident),
    ...(before?.trace_id && { trace_id: before.trace_id }),
  };
  const { last_seen_at, failures_per_minute, harm } = isSeenAgain(before, merged)
    ? merged
    : { ...merged, ...seenOf(before, merged) };
  const isRead = 'correlation' in incident && incident.correlation?.candidates !== undefined;
  const seen = { last_seen_at, failures_per_minute, harm, ...(isRead && { roots_read_at: last_seen_at }) };
  return storable({ ...merged, ...seen });
}

const NO_ROOTS = {
  possible_roots: undefined,
  root_confidence: undefined,
  root_reason: undefined,
  taught_root: undefined,
  only_in: undefined,
} as const;

type Moving = Pick<Snapshot, 'last_seen_at' | 'failures_per_minute' | 'harm'>;

function seenOf(before: Snapshot | null, after: Snapshot): Moving {
  return {
    last_seen_at: before?.last_seen_at,
    failures_per_minute: before?.failures_per_minute,
    harm: before?.harm ?? after.harm,
  };
}

/** What is true now of the fields that a stored incident takes over only now and then. */
export function freshFields({ last_seen_at, failures_per_minute, harm }: Incident): Moving {
  return {
    ...(last_seen_at !== undefined && { last_seen_at }),
    ...(failures_per_minute !== undefined && { failures_per_minute }),
    ...(harm !== undefined && { harm }),
  };
}

/**
 * Whether the single incident may have more than is stored: the service was unsure of the root, or the failure was seen
 * again since. Only services that report the activity of incidents have more.
 */
export function lacksDetails(incident: Snapshot): boolean {
  const { status, activity, possible_roots: roots, roots_read_at: readAt, last_seen_at: seenAt } = incident;
  return status === 'open' && activity !== undefined && (roots?.length !== 0 || readAt !== seenAt);
}

const FORGOTTEN = {
  acknowledged: undefined,
  acknowledged_at: undefined,
  acknowledged_by: undefined,
  acknowledged_by_id: undefined,
  closed_at: undefined,
  resolved_by: undefined,
  resolved_by_id: undefined,
  resolution_note: undefined,
  merged_into: undefined,
  not_a_problem: undefined,
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
  const passedMs = seenAt(after) - seenAt(before);
  const isYoung = seenAt(before) - Date.parse(after.opened_at) < SEEN_AGAIN_MS;
  const pauseMs = isYoung ? SEEN_AGAIN_AT_FIRST_MS : SEEN_AGAIN_MS;
  return before?.activity !== after.activity || !(passedMs >= 0 && passedMs < pauseMs);
}

/** Falls back to the minutes of the rate if the service does not report when the failure was last seen. */
function seenAt(incident: Snapshot | null): number {
  const { last_seen_at: at, failures_per_minute: rate } = incident ?? {};
  return at === undefined && rate !== undefined
    ? Date.parse(rate.from) + rate.counts.length * SEEN_AGAIN_MS
    : Date.parse(at ?? '');
}

/** Keeps only the fields that cards and answers show. */
function shownFields(incident: Incident): Snapshot {
  const { signals: _signals, teaches: _teaches, similar, correlation, timeline = [], ...fields } = incident;
  const takenBack = timeline.findLast(({ event }) => event === 'unacknowledged' || event === 'reopened');
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
    ...(correlation?.candidates !== undefined && rootFields(correlation)),
    ...(correlation?.alerts !== undefined && { alerts: namesOf(correlation.alerts) }),
    ...(similar !== undefined && { similar: fixes(similar) }),
    ...(takenBack !== undefined && { taken_back: takenBack }),
  };
}

function rootFields(correlation: NonNullable<Incident['correlation']>) {
  const { confidence, evidence } = correlation;
  return {
    possible_roots: possibleRoots(correlation),
    root_confidence: Math.round(confidence * 100),
    root_reason: evidence[0]?.slice(0, KEPT_REASON_LENGTH),
    taught_root: correlation.taught_root,
    only_in: onlyPlace(correlation.comparison),
  };
}

/** What one of several releases or places of a service is told by. */
const PLACES = ['version', 'instance', 'host', 'pod', 'zone', 'region'];
/** Share of the good requests that may have run there too. */
const MOST_GOOD = 0.1;

function onlyPlace(comparison: Correlation['comparison']): Snapshot['only_in'] {
  const found = comparison?.differences.find(({ attribute, lost, lost_of: lostOf, good, good_of: goodOf }) => {
    return PLACES.includes(attribute) && lost === lostOf && goodOf > 0 && good <= MOST_GOOD * goodOf;
  });
  return found && { attribute: found.attribute, value: found.value };
}

/** "Full: less than 3 % left (/mnt/a)", with its service unless that is the root's. */
function namesOf(alerts: NonNullable<Correlation['alerts']>): string[] {
  const words = alerts.map(({ service, summary, place }) => {
    const isSaid = place === null || summary.includes(place);
    return `${summary.startsWith(service) ? '' : `${service}: `}${summary}${isSaid ? '' : ` (${place})`}`;
  });
  return [...new Set(words)];
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
