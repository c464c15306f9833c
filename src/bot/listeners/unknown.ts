import type { RespondFn, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { answering } from './answering.ts';
import { outdatedControl, unknownCommand } from './answers.ts';
import type { ListenerDeps } from './deps.ts';

interface Unknown {
  readonly ack: () => Promise<void>;
  readonly body: { readonly user?: { readonly id: string }; readonly channel?: { readonly id: string } };
  readonly respond?: RespondFn;
}

/** Handles a button, modal or shortcut that this version does not have. */
export function createUnknownListener(deps: ListenerDeps, kind: 'action' | 'view' | 'shortcut') {
  return async ({ ack, body, respond }: Unknown): Promise<void> => {
    await ack();
    deps.logger.warn({ kind }, 'no listener for a request from Slack');
    if (body.user === undefined) {
      return;
    }
    const asker = { slackUserId: body.user.id, channelId: body.channel?.id ?? null, what: kind };
    await answering(deps, asker, respond, (answer) => answer(outdatedControl()));
  };
}

export function createUnknownCommandListener(deps: ListenerDeps) {
  return async ({ ack, command, respond }: SlackCommandMiddlewareArgs): Promise<void> => {
    await ack();
    deps.logger.warn({ command: command.command }, 'no listener for a command from Slack');
    const asker = { slackUserId: command.user_id, channelId: command.channel_id, what: command.command };
    await answering(deps, asker, respond, (answer) => answer(unknownCommand(command.command)));
  };
}
