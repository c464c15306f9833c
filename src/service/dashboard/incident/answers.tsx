import type { Child } from 'hono/jsx';
import { nameOf, spokenName } from '../../../contract/actor.ts';
import { deployedWords } from '../../../incident/deploys.ts';
import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { ClosedIncident, Incident, IncidentRecord } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { alsoAffects, closedBy, rootSureness, rootWords } from '../parts/incident-words.tsx';
import { Ago } from '../parts/time.tsx';
import type { Evidence } from './evidence-of.ts';
import { incidentUrl } from './incident-view.ts';
import { affectedBy } from './path-of.ts';

/** What fails in the root's own words; of a slow one, or one that says nothing, the first reason, unless a person set it. */
export function whyRoot(
  { rootService, correlation, byHand }: Pick<Incident, 'rootService' | 'correlation' | 'byHand'>,
  { messages }: Evidence,
): string | undefined {
  const own = messages.find(({ service, isPast }) => service === rootService && !isPast);
  const { harm = null } = correlation;
  const isSlow = harm !== null && !hasMostlyFailed(harm);
  return (isSlow ? undefined : own?.text) ?? (byHand.rootService === undefined ? correlation.evidence[0] : undefined);
}

interface AnswersView {
  readonly incident: IncidentRecord;
  readonly now: Date;
  readonly evidence: Evidence;
  readonly similar: readonly ClosedIncident[];
}

/** Who has it, where it began, after which change, and what helped before: what everybody asks first. */
export function Answers({ incident, now, evidence, similar }: AnswersView) {
  const { changes, openedAt } = incident;
  const [change] = changes;
  const why = whyRoot(incident, evidence);
  const fixed = similar.find(({ closing }) => closing.note !== '');
  const others = alsoAffects({ ...incident, services: affectedBy(incident) }).replace('Also affects ', '');
  return (
    <dl class="answers">
      <Owner incident={incident} now={now} />
      <Answer to={`Root, ${rootSureness(incident)}`} why={why !== undefined && <Foreign>{why}</Foreign>}>
        <Foreign>{rootWords(incident)}</Foreign>
      </Answer>
      {change === undefined ? (
        <Answer to="Changed last" why="No deployment in the half hour before" />
      ) : (
        <Answer to="Changed last" why={deployedWords(change, openedAt.toISOString())}>
          <Foreign>{`${change.service} ${change.version ?? ''}`.trim()}</Foreign>
        </Answer>
      )}
      {fixed === undefined ? (
        <Answer to="Also affected" why={others === '' ? 'No other service' : <Foreign>{others}</Foreign>} />
      ) : (
        <Answer
          to="Fixed before"
          why={
            <>
              <a href={incidentUrl(fixed)}>{`#${fixed.number}`}</a>
              {fixed.closing.by !== null && <Foreign>{`, by ${closedBy(fixed.closing)}`}</Foreign>}
            </>
          }
        >
          <Foreign>{fixed.closing.note}</Foreign>
        </Answer>
      )}
    </dl>
  );
}

/** Who acknowledged it and since when, and who has a role. */
function Owner({ incident, now }: Pick<AnswersView, 'incident' | 'now'>) {
  const { acknowledgement, closing, openedAt, byHand } = incident;
  const nobody = closing === null ? 'Nobody yet' : 'Nobody took it';
  const { lead, communications } = byHand;
  const roles = [
    ...(lead === undefined ? [] : [`${spokenName(lead)} leads`]),
    ...(communications === undefined ? [] : [`${spokenName(communications)} communicates`]),
  ];
  return (
    <Answer
      to="Who has it"
      why={
        <>
          {roles.length > 0 && <Foreign>{`${roles.join(', ')}; `}</Foreign>}
          opened <Ago at={openedAt} now={now} />
          {acknowledgement !== null && (
            <>
              , taken <Ago at={acknowledgement.at} now={now} />
            </>
          )}
        </>
      }
    >
      {acknowledgement === null ? nobody : <Foreign>{nameOf(acknowledgement)}</Foreign>}
    </Answer>
  );
}

function Answer({ to, why, children }: { to: string; why: Child; children?: Child }) {
  return (
    <div>
      <dt>{to}</dt>
      {children !== undefined && <dd class="main-fact">{children}</dd>}
      {why !== false && <dd class="why">{why}</dd>}
    </div>
  );
}
