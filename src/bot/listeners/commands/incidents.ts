import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { COMMANDS } from '../../domain/ids.ts';
import { unknownWordMessage, wrongArgumentsMessage } from '../../views/help.ts';
import { answeringMembers } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { parseIncidentsCommand } from '../parse-command.ts';
import { COMMAND_HANDLERS } from './handlers.ts';

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** Handles `/incidents …`. */
export function createIncidentsListener(deps: ListenerDeps) {
  return async ({ ack, command, respond }: CommandArgs): Promise<void> => {
    const parsed = parseIncidentsCommand(command.text);
    const word = parsed.kind === 'unknown' ? '' : ` ${parsed.word}`;
    const asker = {
      slackUserId: command.user_id,
      channelId: command.channel_id,
      what: `${COMMANDS.incidents}${word}`,
    };
    if (parsed.kind === 'command') {
      return COMMAND_HANDLERS[parsed.word](deps, {
        ...parsed,
        asker,
        triggerId: command.trigger_id,
        respond,
        ack: (response) => ack(response),
      });
    }
    await ack();
    const message = parsed.kind === 'unknown' ? unknownWordMessage(parsed) : wrongArgumentsMessage(parsed);
    await answeringMembers(deps, asker, respond, (answer) => answer(message));
  };
}
