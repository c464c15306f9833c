import type { AllMiddlewareArgs, RespondFn } from '@slack/bolt';
import { outdatedControl, unknownCommand } from '../views/answers.ts';
import { answerWith } from './answering.ts';
import type { ListenerDeps } from './deps.ts';

/** Everything but the given ids: for the listener that answers what no other one does. */
export function anyBut(ids: readonly string[]): RegExp {
  return new RegExp(`^(?!(?:${ids.join('|')})$)[\\s\\S]+$`);
}

interface Unknown {
  readonly ack: () => Promise<void>;
  readonly body: { readonly user?: { readonly id: string }; readonly channel?: { readonly id: string } };
  readonly respond?: RespondFn;
}

/** A button, modal or shortcut that this version does not have: acknowledged, logged, and the person is told. */
export function createUnknownListener(deps: ListenerDeps, kind: 'action' | 'view' | 'shortcut') {
  return async ({ ack, body, respond }: Unknown & Pick<AllMiddlewareArgs, 'context'>): Promise<void> => {
    await ack();
    deps.logger.warn({ kind }, 'Slack sent something that no listener is for');
    if (respond !== undefined) {
      return answerWith(respond)(outdatedControl());
    }
    if (body.user !== undefined) {
      await deps.people.tell({ slackUserId: body.user.id, channelId: body.channel?.id ?? null }, outdatedControl());
    }
  };
}

export function createUnknownCommandListener(deps: ListenerDeps) {
  return async (args: {
    ack: () => Promise<void>;
    command: { command: string };
    respond: RespondFn;
  }): Promise<void> => {
    await args.ack();
    deps.logger.warn({ command: args.command.command }, 'Slack sent a command that no listener is for');
    await answerWith(args.respond)(unknownCommand(args.command.command));
  };
}
