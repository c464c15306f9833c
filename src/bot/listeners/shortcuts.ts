import type { AllMiddlewareArgs, RespondFn, SlackShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { classifySlackFailure } from '../slack/errors.ts';
import { notOpened } from '../views/answers.ts';
import type { Answer, Asker } from './answering.ts';
import type { ListenerDeps } from './deps.ts';

export type ShortcutArgs = SlackShortcutMiddlewareArgs<SlackShortcut> & AllMiddlewareArgs;

/** Acknowledges once the modal is open. @returns null: it did not open, and the person was told */
export async function openModal(
  deps: ListenerDeps,
  { ack, shortcut }: ShortcutArgs,
  modal: ModalView,
  answer: Answer,
): Promise<string | null> {
  try {
    const { view } = await deps.api.views.open({ trigger_id: shortcut.trigger_id, view: modal });
    await ack();
    return view?.id ?? null;
  } catch (error) {
    const failure = classifySlackFailure(error);
    deps.logger.warn({ shortcut: shortcut.callback_id, reason: failure.error }, 'a modal did not open');
    await answer(notOpened('form', failure));
    return null;
  }
}

export function askerOf({ shortcut }: ShortcutArgs): Asker {
  const channelId = shortcut.type === 'message_action' ? shortcut.channel.id : null;
  return { slackUserId: shortcut.user.id, channelId, what: shortcut.callback_id };
}

/** A global shortcut has no address for responses, so the person gets a direct message. */
export function respondOf(args: ShortcutArgs): RespondFn {
  const { respond }: { respond?: RespondFn } = args;
  return respond ?? (() => Promise.reject(new Error('this request has no response_url')));
}
