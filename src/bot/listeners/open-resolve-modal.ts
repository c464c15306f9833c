import { slackErrorCode } from '../slack-errors.ts';
import { closedAlready, answer as sentence } from '../views/answers.ts';
import { plainHeadline, reference } from '../views/incident-words.ts';
import { resolveModal } from '../views/resolve-modal.ts';
import type { Answer } from './answering.ts';
import type { ListenerDeps } from './deps.ts';

/**
 * Opens the note modal. The trigger lives three seconds, so nothing slow comes before: what the modal says of the
 * incident is what we know already, and the service is asked when the note is sent.
 */
export async function openResolveModal(
  deps: ListenerDeps,
  where: { incidentId: string; channelId: string | null; triggerId: string },
  answer: Answer,
): Promise<void> {
  const known = (await deps.store.incidents.find(where.incidentId))?.incident;
  if (known?.status === 'closed') {
    return answer(closedAlready(known));
  }
  const label = known === undefined ? `Incident ${reference({ id: where.incidentId })}` : plainHeadline(known);
  const context = { incidentId: known?.id ?? where.incidentId, channelId: where.channelId };
  try {
    await deps.api.views.open({ trigger_id: where.triggerId, view: resolveModal(context, label) });
  } catch (error) {
    deps.logger.warn({ incidentId: where.incidentId, reason: slackErrorCode(error) }, 'the resolve modal did not open');
    await answer(sentence('Slack did not open the form in time. Please try again.'));
  }
}
