import { isValid } from 'date-fns/isValid';
import { max } from 'date-fns/max';
import { subMinutes } from 'date-fns/subMinutes';
import type { Incident } from '../../contract/resources.ts';
import { isFailing } from '../views/activity-words.ts';
import { plainHeadline, reference } from '../views/incident-words.ts';
import { cut } from '../views/mrkdwn.ts';
import { EMPTY_DRAFT, type ResolveContext, type ResolveForm, type StillFiring } from '../views/resolve-modal.ts';
import type { ListenerDeps } from './deps.ts';

const STILL_FIRING_MINUTES = 5;
const NAMED_SERVICES = 5;
const SERVICE_LENGTH = 100;
const PAST_FIXES = 2;

/** Builds the form from stored data only, because its trigger expires after three seconds. */
export async function draftForm(
  deps: ListenerDeps,
  context: ResolveContext,
  draft: ResolveForm['draft'] = EMPTY_DRAFT,
): Promise<ResolveForm> {
  const known = (await deps.store.incidents.find(context.incidentId))?.incident;
  const rootService = known?.root_service ?? null;
  return {
    context,
    label: known === undefined ? `Incident ${reference({ id: context.incidentId })}` : plainHeadline(known),
    rootService,
    isFailing: known !== undefined && isFailing(known),
    pastFixes:
      rootService === null
        ? []
        : await deps.store.pastFixes.last(rootService, { except: context.incidentId, limit: PAST_FIXES }),
    draft,
  };
}

/**
 * Finds the signals that have not ended. A signal whose sender does not report an end counts as firing if it was seen
 * within the last five minutes and the service does not report a recovery. Signals without times are left out.
 */
export function findStillFiring({ signals = [], activity }: Incident, now: Date): StillFiring | null {
  const since = activity === 'recovered' ? now : subMinutes(now, STILL_FIRING_MINUTES);
  const firing = signals.flatMap(({ service, ended_at: endedAt, last_seen_at, observed_at }) => {
    const at = new Date(last_seen_at ?? observed_at ?? Number.NaN);
    return isValid(at) && (endedAt === null || (endedAt === undefined && at > since)) ? [{ service, at }] : [];
  });
  if (firing.length === 0) {
    return null;
  }
  const services = [...new Set(firing.map(({ service }) => service))];
  return {
    signals: firing.length,
    services: services.slice(0, NAMED_SERVICES).map((name) => cut(name, SERVICE_LENGTH)),
    moreServices: Math.max(0, services.length - NAMED_SERVICES),
    lastSeenAt: max(firing.map(({ at }) => at)).toISOString(),
  };
}
