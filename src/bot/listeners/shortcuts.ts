import type { AllMiddlewareArgs, RespondFn, SlackShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import type { Asker } from './answering.ts';

export type ShortcutArgs = SlackShortcutMiddlewareArgs<SlackShortcut> & AllMiddlewareArgs;

export function askerOf({ shortcut }: ShortcutArgs): Asker {
  const channelId = shortcut.type === 'message_action' ? shortcut.channel.id : null;
  return { slackUserId: shortcut.user.id, channelId, what: shortcut.callback_id };
}

/** @returns undefined: a global shortcut has no address for responses, so the person gets a direct message */
export function respondOf(args: ShortcutArgs): RespondFn | undefined {
  const { respond }: { respond?: RespondFn } = args;
  return respond;
}
