import { deployedWords } from '../../../incident/deploys.ts';
import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Incident, IncidentRecord } from '../../core/incident.ts';
import { Foreign } from '../parts/foreign.tsx';
import { alsoAffects, rootSureness, rootWords } from '../parts/incident-words.tsx';
import { Ago, Clock } from '../parts/time.tsx';
import type { Evidence } from './evidence-of.ts';
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
}

/** Since when, from where, after which change: what everybody asks first. */
export function Answers({ incident, now, evidence }: AnswersView) {
  const { changes, openedAt } = incident;
  const others = alsoAffects({ ...incident, services: affectedBy(incident) }).replace('Also affects ', '');
  const began = beginningOf(incident);
  const [change] = changes;
  const why = whyRoot(incident, evidence);
  return (
    <dl class="answers">
      <div>
        <dt>Since</dt>
        <dd class="main-fact">
          <Clock at={began} now={now} />
        </dd>
        <dd class="why">
          opened <Ago at={openedAt} now={now} />
        </dd>
      </div>
      <div>
        <dt>{`Root, ${rootSureness(incident)}`}</dt>
        <dd class="main-fact">
          <Foreign>{rootWords(incident)}</Foreign>
        </dd>
        {why !== undefined && (
          <dd class="why">
            <Foreign>{why}</Foreign>
          </dd>
        )}
      </div>
      <div>
        <dt>Changed last</dt>
        {change === undefined ? (
          <dd>No deployment in the half hour before</dd>
        ) : (
          <>
            <dd class="main-fact">
              <Foreign>{`${change.service} ${change.version ?? ''}`.trim()}</Foreign>
            </dd>
            <dd class="why">{deployedWords(change, openedAt.toISOString())}</dd>
          </>
        )}
      </div>
      <div>
        <dt>Also affected</dt>
        <dd>{others === '' ? 'No other service' : <Foreign>{others}</Foreign>}</dd>
      </div>
    </dl>
  );
}

/** When the failure first happened: of requests, or of signals where no request is known to be lost. */
function beginningOf({ correlation: { harm, window }, openedAt }: Pick<Incident, 'correlation' | 'openedAt'>): Date {
  const since = Date.parse(harm?.since ?? window.from);
  return Number.isNaN(since) ? openedAt : new Date(Math.min(since, openedAt.getTime()));
}
