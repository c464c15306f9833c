import { isFailing } from '../domain/incident.ts';
import { plainHeadline, reference } from '../views/incident-words.ts';
import { EMPTY_DRAFT, type ResolveContext, type ResolveForm } from '../views/resolve-modal.ts';
import type { ListenerDeps } from './deps.ts';

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
