import type { Mute } from '../contract/mute.ts';
import {
  type Correlation,
  type FailingCall,
  type IncidentSummary,
  MAX_IMPACT,
  SIGNAL_TYPES,
} from '../contract/resources.ts';
import { isAcknowledged } from './acknowledged.ts';
import { joined, type Phrase, plural } from './phrase.ts';

/** What an incident says of itself in Slack, on the dashboard, as Markdown and in exports. */

/** Calls that a sentence names; it counts the rest. */
export const NAMED_CALLS = 2;

type Stated = Pick<IncidentSummary, 'status' | 'acknowledged' | 'acknowledged_at' | 'acknowledged_by' | 'closed_at'> & {
  readonly resolved_by?: string | null | undefined;
};
type Acknowledgeable = Pick<IncidentSummary, 'acknowledged' | 'acknowledged_at' | 'acknowledged_by'>;
type Active = Pick<IncidentSummary, 'status' | 'activity' | 'activity_since' | 'last_seen_at'> & OfDeclared & OfAlerts;
/** The alerts among its signals, if that is known. */
type OfAlerts = Partial<Pick<IncidentSummary, 'signals_ended_at' | 'signal_count'>> & {
  readonly alerts?: readonly unknown[] | undefined;
};
type OfDeclared = Partial<Pick<IncidentSummary, 'declared_by' | 'signal_count' | 'declarations'>>;

export interface StatePhrase {
  readonly kind: 'unacknowledged' | 'acknowledged' | 'closed';
  /** "Open, acknowledged" */
  readonly name: string;
  /** "Acknowledged" */
  readonly short: string;
  /** " by ana, 10:02" */
  readonly detail: Phrase;
}

export function statePhrase(incident: Stated): StatePhrase {
  if (incident.status === 'closed') {
    return {
      kind: 'closed',
      name: 'Closed',
      short: 'Closed',
      detail: [...by(incident.resolved_by), ...at(incident.closed_at)],
    };
  }
  return isAcknowledged(incident)
    ? { kind: 'acknowledged', name: 'Open, acknowledged', short: 'Acknowledged', detail: acknowledgedBy(incident) }
    : { kind: 'unacknowledged', name: 'Open, not acknowledged', short: 'Not acknowledged', detail: [] };
}

/** " by ana, 10:02", or " by ana 3 minutes ago" */
export function acknowledgedBy(incident: Acknowledgeable, as: 'time' | 'ago' = 'time'): Phrase {
  const { acknowledged_at: moment } = incident;
  const isAgo = as === 'ago' && moment != null;
  return [...by(incident.acknowledged_by), ...(isAgo ? [' ', { at: moment, as }] : at(moment))];
}

/** Whether its signals are what people said and nothing else, so that nothing tells whether it goes on. */
export function isOnlyDeclared({ declared_by: by, signal_count: signals, declarations = 1 }: OfDeclared): boolean {
  return (by ?? null) !== null && signals === Math.max(1, declarations);
}

/** "still failing, last seen 20 seconds ago", for a line of a list; empty if the service does not report it. */
export function shortActivityPhrase(incident: Omit<Active, 'status'>): Phrase {
  const { activity, activity_since: since, last_seen_at: seenAt } = incident;
  if (activity !== undefined && isOnlyDeclared(incident)) {
    return ['no failure measured so far'];
  }
  switch (activity) {
    case 'failing':
      return seenAt === undefined ? ['still failing'] : ['still failing, last seen ', { at: seenAt, as: 'ago' }];
    case 'quiet':
      if (isUnended(incident)) {
        return ['no end reported yet, last sent ', { at: seenAt ?? since ?? '', as: 'time' }];
      }
      return since === undefined ? ['quiet'] : ['quiet since ', { at: since, as: 'time' }];
    case 'recovered':
      return since === undefined ? ['recovered'] : ['recovered ', { at: since, as: 'time' }];
    case undefined:
      return [];
    default:
      return activity satisfies never;
  }
}

/** Whether all that is known are alerts of which nobody says when they end, so that silence means nothing. */
function isUnended({ alerts = [], signal_count: signals, signals_ended_at: endedAt }: OfAlerts): boolean {
  return alerts.length > 0 && alerts.length === signals && (endedAt ?? null) === null;
}

/** The same with what it means; empty also for a closed incident that did not recover, which is not followed for long. */
export function activityPhrase(incident: Active): Phrase {
  if (incident.status === 'closed' && (incident.activity !== 'recovered' || isOnlyDeclared(incident))) {
    return [];
  }
  const words = shortActivityPhrase(incident);
  if (isOnlyDeclared(incident)) {
    return words.length === 0 ? [] : [...words, ': only people say that it fails'];
  }
  return incident.activity === 'quiet' && !isUnended(incident)
    ? [...words, ': no failures since, but no sign that it works again']
    : words;
}

/** "checkout -> payments: 208 of 216 calls failed within a minute; web -> …; and 2 more calls"; empty if it is not known. */
export function impactPhrase(impact: readonly FailingCall[]): Phrase {
  const rest = impact.length - NAMED_CALLS;
  const atLeast = impact.length < MAX_IMPACT ? '' : 'at least ';
  const more: Phrase[] = rest > 0 ? [[`and ${atLeast}${plural(rest, 'more call')}`]] : [];
  return joined([...impact.slice(0, NAMED_CALLS).map(callPhrase), ...more], '; ');
}

/** "checkout -> payments: 208 of 216 calls failed within a minute", the worst one */
export function callPhrase({ from, to, calls, failed }: FailingCall): Phrase {
  const count = `${failed.toLocaleString('en')} of ${plural(calls, 'call')} failed within a minute`;
  return [{ service: from }, ' -> ', { service: to }, `: ${count}`];
}

/**
 * "payments -> checkout (208 requests) -> web (30 requests)": how a failure reaches people, with the lost requests that came
 * each way; empty: it stays where it is, or that is not known.
 */
export function pathPhrase(path: Correlation['path'] = []): Phrase {
  const hops = path.map(({ service, requests }, index): Phrase => {
    return index === 0 ? [{ service }] : [{ service }, ` (${plural(requests, 'request')})`];
  });
  return hops.length < 2 ? [] : joined(hops, ' -> ');
}

/** "payments", or "unsure: payments or inventory". @param possible empty: the root is known */
export function rootPhrase(root: string, possible: readonly string[]): Phrase {
  const names: readonly Phrase[] = possible.map((service) => [{ service }]);
  return names.length === 0 ? [{ service: root }] : ['unsure: ', ...joined(names, ' or ')];
}

/** "Also affects web, checkout and 3 more"; empty if it affects none but the root service. */
export function othersPhrase(
  { root_service: root, services = [] }: Pick<IncidentSummary, 'root_service' | 'services'>,
  most: number,
): Phrase {
  const others = services.filter((service) => service !== root);
  if (others.length === 0) {
    return [];
  }
  const named = joined(
    others.slice(0, most).map((service) => [{ service }]),
    ', ',
  );
  const rest = others.length - most;
  return ['Also affects ', ...named, rest > 0 ? ` and ${rest.toLocaleString('en')} more` : ''];
}

/** "14 signals (9 traces, 3 metrics, 2 logs)"; without the parentheses if the service does not count by type. */
export function signalCount(incident: Pick<IncidentSummary, 'signal_count'> & ByType): string {
  const total = plural(incident.signal_count, 'signal');
  const counts = typeCounts(incident);
  return counts === '' ? total : `${total} (${counts})`;
}

type ByType = Pick<IncidentSummary, 'signals_by_type' | 'declarations'>;

/** "9 traces, 3 metrics, 2 logs, 1 declaration"; empty if the service does not count by type. */
export function typeCounts({ signals_by_type: counts, declarations = 0 }: ByType): string {
  if (counts === undefined) {
    return '';
  }
  const reported = { ...counts, metric: counts.metric - declarations };
  return [...SIGNAL_TYPES.map((type) => [type, reported[type]] as const), ['declaration', declarations] as const]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => plural(count, name))
    .join(', ');
}

/** A mute of one incident is a snooze; of a service or an integration it is a mute. */
export function muteWord({ target }: Pick<Mute, 'target'>): 'Snoozed' | 'Muted' {
  return target === 'incident' ? 'Snoozed' : 'Muted';
}

function by(person: string | null | undefined): Phrase {
  return person === null || person === undefined ? [] : [' by ', { person }];
}

function at(moment: string | null | undefined): Phrase {
  return moment === null || moment === undefined ? [] : [', ', { at: moment, as: 'time' }];
}
