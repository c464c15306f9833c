import { type FailingCall, SIGNAL_TYPES, type SignalCounts } from '../../../contract/resources.ts';
import type { Incident } from '../../core/incident.ts';
import type { IncidentState } from '../../core/incident-event.ts';
import { UNSURE_BELOW } from '../../correlation/ranking/rank.ts';
import { Ago, Clock } from './time.tsx';

/** The words of the cards in Slack, as HTML. `test/contract/same-words.test.ts` compares them. */

type Stated = Pick<IncidentState, 'closing' | 'acknowledgement' | 'mergedInto'>;

/** What its state is, for colours and signs. */
export type StateKind = 'unacknowledged' | 'acknowledged' | 'closed' | 'merged';

export function stateKind({ closing, acknowledgement, mergedInto }: Stated): StateKind {
  if (closing !== null) {
    return mergedInto === null ? 'closed' : 'merged';
  }
  return acknowledgement === null ? 'unacknowledged' : 'acknowledged';
}

/** "Open, acknowledged by ana, 5 minutes ago" */
export function State({ incident, now }: { incident: Stated; now: Date }) {
  const { closing, acknowledgement } = incident;
  const kind = stateKind(incident);
  return (
    <span class={`state state-${kind}`}>
      <StateSign kind={kind} />
      <span>
        {kind === 'unacknowledged' && 'Open, not acknowledged'}
        {kind === 'acknowledged' && acknowledgement !== null && (
          <>
            {`Open, acknowledged by ${acknowledgement.by}, `}
            <Ago at={acknowledgement.at} now={now} />
          </>
        )}
        {closing !== null && (
          <>
            {kind === 'merged' ? 'Part of another incident, ' : closedWords(closing.by)}
            <Ago at={closing.at} now={now} />
          </>
        )}
      </span>
    </span>
  );
}

function closedWords(by: string | null): string {
  return by === null ? 'Closed, ' : `Closed by ${by}, `;
}

function StateSign({ kind }: { kind: StateKind }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {kind === 'unacknowledged' && <circle cx="8" cy="8" r="7" />}
      {kind === 'acknowledged' && (
        <>
          <path d="M8 1a7 7 0 0 1 0 14z" />
          <circle class="half" cx="8" cy="8" r="6.2" />
        </>
      )}
      {kind === 'closed' && <path d="M6.500 13 1.500 8l1.800-1.800 3.200 3.200 6.200-6.400 1.800 1.800z" />}
      {kind === 'merged' && <path d="M3 2h2v4l4 3h4v2H8L3 7.500z" />}
    </svg>
  );
}

type Active = Pick<IncidentState, 'closing' | 'activity' | 'activeSince' | 'lastSeenAt'>;

/** "Still failing, last seen 20 seconds ago"; null if it is closed and did not recover. */
export function Activity({ incident, now }: { incident: Active; now: Date }) {
  const { activity, activeSince, lastSeenAt, closing } = incident;
  if (closing !== null && activity !== 'recovered') {
    return null;
  }
  return (
    <span class={`activity activity-${activity}`}>
      {activity === 'failing' && (
        <>
          Still failing, last seen <Ago at={lastSeenAt} now={now} />
        </>
      )}
      {activity === 'quiet' && (
        <>
          Quiet since <Clock at={activeSince} now={now} />: nothing was seen, nobody knows whether it works
        </>
      )}
      {activity === 'recovered' && (
        <>
          Recovered <Ago at={activeSince} now={now} />
        </>
      )}
    </span>
  );
}

const NAMED_CALLS = 2;

/** "checkout -> payments: 208 of 216 calls failed; …; and 3 more calls"; empty if it is not known. */
export function impactWords(impact: readonly FailingCall[]): string {
  const rest = impact.length - NAMED_CALLS;
  const more = rest > 0 ? [`and ${plural(rest, 'more call')}`] : [];
  return [...impact.slice(0, NAMED_CALLS).map(callWords), ...more].join('; ');
}

function callWords({ from, to, calls, failed }: FailingCall): string {
  return `${from} -> ${to}: ${failed.toLocaleString('en')} of ${plural(calls, 'call')} failed`;
}

/** The root service, or "unsure: payments or inventory". */
export function rootWords({ rootService, correlation }: Pick<Incident, 'rootService' | 'correlation'>): string {
  const { confidence, candidates = [] } = correlation;
  const [first, second] = candidates;
  return confidence < UNSURE_BELOW && first !== undefined && second !== undefined
    ? `unsure: ${first.service} or ${second.service}`
    : rootService;
}

/** "14 signals" */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** "9 traces, 3 metrics, 2 logs" */
export function countsInWords(counts: SignalCounts): string {
  return SIGNAL_TYPES.filter((type) => counts[type] > 0)
    .map((type) => plural(counts[type], type))
    .join(', ');
}
