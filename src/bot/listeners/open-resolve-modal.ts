import { ServiceClientError } from '../../client/errors.ts';
import { classifySlackFailure, slackErrorCode } from '../slack/errors.ts';
import { closedAlready, notOpened } from '../views/answers.ts';
import { type ResolveForm, resolveModal } from '../views/resolve-modal.ts';
import type { Answer } from './answering.ts';
import type { ListenerDeps } from './deps.ts';
import { draftForm, findStillFiring } from './resolve-form.ts';

/**
 * Opens the note modal. The trigger lives three seconds, so nothing slow comes before: what the modal says of the
 * incident is what we know already. What still fires is added once the service has told.
 */
export async function openResolveModal(
  deps: ListenerDeps,
  where: { incidentId: string; channelId: string | null; triggerId: string },
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  const known = (await deps.store.incidents.find(where.incidentId))?.incident;
  if (known?.status === 'closed') {
    return answer(closedAlready(known));
  }
  const { triggerId, ...context } = where;
  const form = await draftForm(deps, { ...context, isAsked: false, stillFiring: null });
  try {
    const { view } = await deps.api.views.open({ trigger_id: triggerId, view: resolveModal(form) });
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

/** Leaves the form as it is when it has changed meanwhile: what the person does comes first. */
async function addStillFiring(
  deps: ListenerDeps,
  view: { readonly id: string; readonly hash: string },
  form: ResolveForm,
): Promise<void> {
  try {
    const incident = await deps.service.getIncident(form.context.incidentId);
    const stillFiring = findStillFiring(incident, deps.now());
    if (stillFiring !== null) {
      const changed = resolveModal({ ...form, context: { ...form.context, stillFiring } });
      await deps.api.views.update({ view_id: view.id, hash: view.hash, view: changed });
    }
  } catch (err) {
    const reason = err instanceof ServiceClientError ? err.message : slackErrorCode(err);
    deps.logger.info({ incidentId: form.context.incidentId, reason }, 'the form does not tell what still fires');
  }
}
