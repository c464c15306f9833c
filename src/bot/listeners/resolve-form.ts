import { max } from 'date-fns/max';
import { subMinutes } from 'date-fns/subMinutes';
import type { Incident } from '../../contract/resources.ts';
import { plainHeadline, reference } from '../views/incident-words.ts';
import { cut } from '../views/mrkdwn.ts';
import { EMPTY_DRAFT, type ResolveContext, type ResolveForm, type StillFiring } from '../views/resolve-modal.ts';
import type { ListenerDeps } from './deps.ts';

const STILL_FIRING_MINUTES = 5;
const NAMED_SERVICES = 5;
const SERVICE_LENGTH = 100;
const PAST_FIXES = 2;

/** The form as far as we know without asking anybody: its trigger lives three seconds. */
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
    pastFixes:
      rootService === null
        ? []
        : await deps.store.pastFixes.last(rootService, { except: context.incidentId, limit: PAST_FIXES }),
    draft,
  };
}

/** The signals of the incident that were seen within five minutes, as far as the service tells times. */
export function findStillFiring({ signals = [] }: Incident, now: Date): StillFiring | null {
  const since = subMinutes(now, STILL_FIRING_MINUTES);
  const seen = signals.flatMap((signal) => {
    const at = new Date(signal.last_seen_at ?? signal.observed_at ?? Number.NaN);
    return at > since ? [{ service: signal.service, at }] : [];
  });
  if (seen.length === 0) {
    return null;
  }
  const services = [...new Set(seen.map(({ service }) => service))];
  return {
    signals: seen.length,
    services: services.slice(0, NAMED_SERVICES).map((name) => cut(name, SERVICE_LENGTH)),
    moreServices: Math.max(0, services.length - NAMED_SERVICES),
    lastSeenAt: max(seen.map(({ at }) => at)).toISOString(),
  };
}
