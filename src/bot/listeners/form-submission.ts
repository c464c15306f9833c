import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewOutput, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import type { ActionRequest } from '../actions/action.ts';
import type { Kept } from '../actions/action-store.ts';
import type { SlackUserId } from '../slack/identifiers.ts';
import { sendAndNotify } from './answering.ts';
import { ARRIVED_BEFORE } from './answers.ts';
import type { ListenerDeps } from './deps.ts';
import { KEEP_TIMEOUT_MS } from './keep-timeout.ts';

type FromForm<Request> = Request extends unknown ? Omit<Request, 'source' | 'slackUserId' | 'origin'> : never;

/** A form that asks for one action. */
export interface FormKind<Form> {
  /** The field that shows what is wrong with the form as a whole. */
  readonly field: string;
  /** What its button says. */
  readonly button: string;
  /** null: it was opened by another version of the bot, whose fields differ. */
  read(view: Pick<ViewOutput, 'private_metadata' | 'state'>): Form | null;
  /** What is missing or wrong, and the field that shows it; null: nothing. */
  findFault(form: Form): { readonly fault: string; readonly field?: string } | null;
  /** The action; null: the form changes nothing. Slack waits for it, so it takes at most a second. */
  request(form: Form, slackUserId: SlackUserId): Promise<FromForm<ActionRequest> | null>;
}

/** Handles a submitted form. Its action is stored before the form closes, so what was typed is never lost. */
export function createFormSubmission<Form>(deps: ListenerDeps, kind: FormKind<Form>) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const refuse = (fault: string, field = kind.field) =>
      ack({ response_action: 'errors', errors: { [field]: fault } });
    const form = kind.read(view);
    if (form === null) {
      return refuse('This form is out of date. Copy what you typed and open the form again.');
    }
    const found = kind.findFault(form);
    if (found !== null) {
      return refuse(found.fault, found.field);
    }
    const slackUserId = body.user.id;
    let stored: { readonly asked: FromForm<ActionRequest>; readonly kept: Kept } | null;
    try {
      stored = await withTimeout(KEEP_TIMEOUT_MS, async () => {
        const asked = await kind.request(form, slackUserId);
        const from = { slackUserId, source: view.id, origin: view.callback_id };
        return asked && { asked, kept: await deps.actions.keep({ ...asked, ...from }) };
      });
    } catch (err) {
      deps.logger.error({ err, form: view.callback_id }, 'a submitted form could not be stored');
      return refuse(
        `This can't be saved right now. What you typed is still here: please press ${kind.button} again in a moment.`,
      );
    }
    const typed = stored !== null && 'note' in stored.asked ? stored.asked.note : null;
    if (stored?.kept.kind === 'repeated' && typed !== stored.kept.note) {
      return refuse(ARRIVED_BEFORE);
    }
    await ack();
    await (stored?.kept.kind === 'new' && sendAndNotify(deps, stored.kept.action));
  };
}
