import type { ActionStore } from '../../actions/action-store.ts';
import { isFailing } from '../../incident/incident.ts';
import { plainHeadline, reference } from '../../incident/incident-words.ts';
import type { PastFixes } from '../../incident/past-fixes.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { EMPTY_DRAFT, type ResolveContext, type ResolveForm } from './resolve-modal.ts';

/** What this room needs beside what all listeners share. */
export type ActDeps = ListenerDeps<{
  readonly pastFixes: PastFixes;
  readonly actions: Pick<ActionStore, 'findSettled'>;
}>;

const PAST_FIXES = 2;

/** Builds the form from stored data only, because its trigger expires after three seconds. */
export async function draftForm(
  deps: ActDeps,
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
