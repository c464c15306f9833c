import { ServiceClientError } from '../../../client/errors.ts';
import { closedAlready } from '../../actions/outcome-answers.ts';
import { isFailing } from '../../incident/incident.ts';
import { findStillFiring } from '../../incident/still-firing.ts';
import type { Answer } from '../../listeners/answering.ts';
import { notOpened } from '../../listeners/answers.ts';
import { classifySlackFailure, slackErrorCode } from '../../slack/errors.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import type { ActDeps } from './resolve-form.ts';
import { draftForm } from './resolve-form.ts';
import { type ListOrigin, type ResolveForm, resolveModal, shortTaught } from './resolve-modal.ts';

/**
 * Opens the resolve form. The trigger expires after three seconds, so the form is opened with the stored state of the
 * incident. Signals that are still firing, and what it could teach, are added
 * once the service has responded.
 *
 * @param isOnModal the form is opened from a modal, which stays below it
 */
export async function openResolveModal(
  deps: ActDeps,
  where: { incidentId: IncidentId; channelId: ChannelId | null; triggerId: string; list?: ListOrigin | null },
  answer: Answer,
  onOpen: () => Promise<void>,
  isOnModal = false,
): Promise<void> {
  const known = (await deps.store.incidents.find(where.incidentId))?.incident;
  if (known?.status === 'closed') {
    return answer(closedAlready(known));
  }
  const { triggerId, list = null, ...context } = where;
  const form = await draftForm(deps, { ...context, list, isAsked: false, stillFiring: null, teaches: [] });
  try {
    const opening = { trigger_id: triggerId, view: resolveModal(form) };
    const { view } = await (isOnModal ? deps.api.views.push(opening) : deps.api.views.open(opening));
    await onOpen();
    if (view?.id !== undefined && view.hash !== undefined) {
      await addStillFiring(deps, { id: view.id, hash: view.hash }, form);
    }
  } catch (error) {
    const failure = classifySlackFailure(error);
    deps.logger.warn({ incidentId: where.incidentId, reason: failure.error }, 'the resolve modal did not open');
    await answer(notOpened('form', failure));
  }
}

/** Adds firing signals to the form, unless its `hash` has changed meanwhile. */
async function addStillFiring(
  deps: ActDeps,
  view: { readonly id: string; readonly hash: string },
  form: ResolveForm,
): Promise<void> {
  try {
    const incident = await deps.service.getIncident(form.context.incidentId);
    const stillFiring = findStillFiring(incident, deps.now());
    const teaches = shortTaught(incident.teaches);
    if (stillFiring !== null || isFailing(incident) !== form.isFailing || teaches.length > 0) {
      const context = { ...form.context, stillFiring, teaches };
      const changed = resolveModal({ ...form, context, isFailing: isFailing(incident) });
      await deps.api.views.update({ view_id: view.id, hash: view.hash, view: changed });
    }
  } catch (err) {
    const reason = err instanceof ServiceClientError ? err.message : slackErrorCode(err);
    deps.logger.info({ incidentId: form.context.incidentId, reason }, 'could not add the firing signals to the form');
  }
}
