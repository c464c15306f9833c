import { nameOf } from '../../../contract/actor.ts';
import { comebackWords, confidenceWords, harmCount, harmPhrase } from '../../../incident/harm.ts';
import { capitalized, capitalizedPhrase, type Phrase, phraseText } from '../../../incident/phrase.ts';
import { possibleRoots } from '../../../incident/root.ts';
import {
  activityPhrase,
  impactPhrase,
  isOnlyDeclared,
  othersPhrase,
  rootPhrase,
  shortActivityPhrase,
  signalCount,
  statePhrase,
  typeCounts,
} from '../../../incident/words.ts';
import { harmOf, type Incident, signalCountOf, statusOf } from '../../core/incident.ts';
import type { IncidentState } from '../../core/incident-event.ts';
import { presentActivity, presentDeclared, presentSignalCounts, presentState } from '../../core/present.ts';
import { Foreign } from './foreign.tsx';
import { Ago, Clock, exactTime } from './time.tsx';

const NAMED_SERVICES = 5;

type Stated = Pick<IncidentState, 'closing' | 'acknowledgement' | 'mergedInto'>;

/** What its state is, for colours and signs. */
export type StateKind = 'unacknowledged' | 'acknowledged' | 'closed' | 'merged';

export function stateKind({ closing, acknowledgement, mergedInto }: Stated): StateKind {
  if (closing !== null) {
    return mergedInto === null ? 'closed' : 'merged';
  }
  return acknowledgement === null ? 'unacknowledged' : 'acknowledged';
}

/** Its state, with names as people read them. */
export function statedOf(incident: Pick<Stated, 'closing' | 'acknowledgement'>) {
  const { acknowledgement, closing } = incident;
  return {
    ...presentState(incident),
    acknowledged_by: acknowledgement && nameOf(acknowledgement),
    resolved_by: closing === null ? null : closedBy(closing),
  };
}

/** null: Tocsin closed it. */
export function closedBy({ by, byId }: NonNullable<Stated['closing']>): string | null {
  return by === null ? null : nameOf({ by, byId });
}

/** "Open, acknowledged by ana, 5 minutes ago" */
export function State({ incident, now }: { incident: Stated; now: Date }) {
  const kind = stateKind(incident);
  const { name, detail } = statePhrase(statedOf(incident));
  return (
    <span class={`state state-${kind}`}>
      <StateSign kind={kind} />
      <span>
        {kind === 'merged' ? 'Part of another incident' : name}
        <Words of={detail} now={now} />
      </span>
    </span>
  );
}

export function StateSign({ kind }: { kind: StateKind }) {
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

type Active = Parameters<typeof presentActivity>[0] &
  Pick<IncidentState, 'closing' | 'declaredBy' | 'signalsEndedAt'> &
  Partial<Pick<Incident, 'correlation'>> &
  Parameters<typeof signalCountOf>[0];

/**
 * "Still failing, last seen 20 seconds ago"; null if it is closed and was quiet.
 *
 * @param isShort for a line of a list: without what it means
 */
export function Activity({ incident, now, isShort = false }: { incident: Active; now: Date; isShort?: boolean }) {
  if (incident.closing !== null && incident.activity === 'failing') {
    return (
      <span class="activity activity-failing">
        {incident.lastSeenAt > incident.closing.at ? 'Failed after it was closed' : 'Was still failing'}, last seen{' '}
        <Ago at={incident.lastSeenAt} now={now} />
      </span>
    );
  }
  const active = {
    status: statusOf(incident),
    ...presentActivity(incident),
    ...presentDeclared(incident),
    signals_ended_at: incident.signalsEndedAt?.toISOString() ?? null,
    alerts: incident.correlation?.alerts,
  };
  const all = activityPhrase(active);
  const words = isShort && all.length > 0 ? shortActivityPhrase(active) : all;
  if (words.length === 0) {
    return null;
  }
  return (
    <span class={`activity activity-${incident.activity}`}>
      <Words of={capitalizedPhrase(words)} now={now} hasClock={incident.activity === 'quiet'} />
    </span>
  );
}

type Harmed = Pick<Incident, 'closing' | 'activity' | 'correlation' | 'impact' | 'recurrences'>;

/**
 * "412 of 900 requests failed since 09:02, now 61 a minute; came back 2 times". The calls that fail, if no request is
 * known to be lost; null if neither is known.
 */
export function Harm({ incident, now }: { incident: Harmed; now: Date }) {
  const lost = harmPhrase(harmOf(incident));
  const back = comebackWords(incident.recurrences);
  if (lost.length === 0 && incident.impact.length === 0) {
    return back === '' ? null : capitalized(back);
  }
  return (
    <>
      <Words of={lost.length === 0 ? impactPhrase(incident.impact) : lost} now={now} hasClock />
      {back !== '' && `; ${back}`}
    </>
  );
}

/** The same as text; empty if neither is known. */
export function harmWords(incident: Harmed): string {
  const lost = harmPhrase(harmOf(incident));
  const words = plainPhrase(lost.length === 0 ? impactPhrase(incident.impact) : lost);
  return [words, comebackWords(incident.recurrences)].filter((part) => part !== '').join('; ');
}

/** For a line of a list: "412 of 900 requests failed", or the calls that fail, or who is affected. */
export function whatIsHit(incident: Harmed & Pick<Incident, 'rootService' | 'services'>): string {
  return harmCount(incident.correlation.harm) || plainPhrase(impactPhrase(incident.impact)) || alsoAffects(incident);
}

/** The root service, or "unsure: payments or inventory". */
export function rootWords({ rootService, correlation }: Pick<Incident, 'rootService' | 'correlation'>): string {
  return plainPhrase(rootPhrase(rootService, possibleRoots(correlation)));
}

/** How sure the root is: "very likely (94 % sure)", or who says so: a single signal says nothing about how sure it is. */
export function rootSureness(
  incident: Pick<Incident, 'byHand' | 'correlation' | 'declaredBy' | 'signalCounts'>,
): string {
  return incident.byHand.rootService === undefined ? foundSureness(incident) : 'set by hand';
}

/** The same of the root that was found, whatever somebody set. */
export function foundSureness(incident: Pick<Incident, 'correlation' | 'declaredBy' | 'signalCounts'>): string {
  const { correlation } = incident;
  if (isOnlyDeclared(presentDeclared(incident))) {
    return 'as declared';
  }
  const isOnlyOne = signalCountOf(incident) === 1 && possibleRoots(correlation).length === 0;
  return isOnlyOne ? 'by its only signal' : confidenceWords(correlation);
}

/** "14 signals (9 traces, 3 metrics, 2 logs)" */
export function signalWords(incident: Pick<Incident, 'signalCounts'>): string {
  return signalCount({ signal_count: signalCountOf(incident), ...presentSignalCounts(incident) });
}

/** "9 traces, 3 metrics, 2 logs" */
export function signalTypes(incident: Pick<Incident, 'signalCounts'>): string {
  return typeCounts(presentSignalCounts(incident)) || 'none';
}

/** "Also affects web, checkout and 3 more"; empty if it affects none but the root service. */
export function alsoAffects({ rootService, services }: Pick<Incident, 'rootService' | 'services'>): string {
  return plainPhrase(othersPhrase({ root_service: rootService, services: [...services] }, NAMED_SERVICES));
}

/** A phrase as HTML. @param hasClock shows the time of the day instead of "5 minutes ago" */
function Words({ of, now, hasClock = false }: { of: Phrase; now: Date; hasClock?: boolean }) {
  return (
    <>
      {of.map((part) => {
        if (typeof part === 'string') {
          return part;
        }
        if ('at' in part) {
          const at = new Date(part.at);
          return hasClock ? <Clock at={at} now={now} /> : <Ago at={at} now={now} />;
        }
        return <Foreign>{'person' in part ? part.person : part.service}</Foreign>;
      })}
    </>
  );
}

/** A phrase as text; the caller escapes it. */
export function plainPhrase(words: Phrase): string {
  const same = (name: string) => name;
  return phraseText(words, { moment: ({ at }) => exactTime(new Date(at)), person: same, service: same });
}
