import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import type { AllSetByHand, SetByHand } from '../domain/action.ts';
import { STEER_FIELDS, VIEWS } from '../domain/ids.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { sendAndTell } from '../listeners/send-and-tell.ts';
import type { Kept } from '../store/actions.ts';
import { parseSteerContext, parseSteerForm } from './steer-modal.ts';

/** Slack waits three seconds. After this timeout the modal stays open. */
const KEEP_TIMEOUT_MS = 2_000;

/** Handles the submitted form "Change incident". Only the fields that the person changed are set. */
export function createSteerSubmission(deps: ListenerDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const refuse = (fault: string) => ack({ response_action: 'errors', errors: { [STEER_FIELDS.title]: fault } });
    const context = parseSteerContext(view.private_metadata);
    const form = parseSteerForm(view.state.values);
    if (context === null || form === null) {
      return refuse('This form is out of date. Please open it again.');
    }
    const { incidentId, channelId, before, leadId, communicationsId } = context;
    let kept: Kept | null;
    try {
      kept = await withTimeout(KEEP_TIMEOUT_MS, async () => {
        const nameOf = async (id: string | null) => (id === null ? null : (await deps.people.find(id)).name);
        const set: SetByHand = {
          ...(form.title !== before.title && { title: form.title }),
          ...(form.severity !== before.severity && { severity: form.severity }),
          ...(form.root_service !== before.root_service && { root_service: form.root_service }),
          ...(form.lead !== leadId && { lead: await nameOf(form.lead) }),
          ...(form.communications !== communicationsId && { communications: await nameOf(form.communications) }),
        };
        if (Object.keys(set).length === 0) {
          return null;
        }
        const slackUserId = body.user.id;
        const request = { source: view.id, kind: 'steer', incidentId, slackUserId, channelId, set } as const;
        return deps.actions.keep({ ...request, before: fieldsOf(before, set), origin: VIEWS.steer });
      });
    } catch (err) {
      deps.logger.error({ err, incidentId }, 'a change could not be stored');
      return refuse("This can't be saved right now. Please press Save again in a moment.");
    }
    await ack();
    await (kept?.kind === 'new' ? sendAndTell(deps, kept.action) : undefined);
  };
}

/** Undo must leave alone what others have set since, so it gets only the fields that were changed. */
function fieldsOf(before: AllSetByHand, set: SetByHand): SetByHand {
  return Object.fromEntries(Object.entries(before).filter(([field]) => field in set));
}
