import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { withTimeout } from '../runtime/timeout.ts';
import { COMMAND_HANDLERS } from './command-handlers.ts';
import { closest } from './domain/closest.ts';
import { COMMANDS } from './domain/ids.ts';
import { answeringMembers } from './listeners/answering.ts';
import type { ListenerDeps } from './listeners/deps.ts';
import { parseIncidentsCommand, quoteKnownNames } from './listeners/parse-command.ts';
import { unknownWordMessage, wrongArgumentsMessage } from './views/help.ts';

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** Handles `/incidents …`. */
export function createIncidentsListener(deps: ListenerDeps) {
  return async ({ ack, command, respond }: CommandArgs): Promise<void> => {
    const parsed = parseIncidentsCommand(await quoteNames(deps, command.text));
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
    await answeringMembers(deps, asker, respond, async (answer) =>
      answer(
        parsed.kind === 'unknown'
          ? unknownWordMessage(parsed)
          : wrongArgumentsMessage({ ...parsed, meant: await findService(deps, parsed.service) }),
      ),
    );
  };
}

/** Services that are looked at for one command. */
const MOST_NAMES = 200;
/** Slack waits three seconds for the acknowledgement, and the command needs most of it. */
const NAMES_TIMEOUT_MS = 500;

/** Puts names of services that contain spaces into quotes. While the database does not answer, the text stays as typed. */
async function quoteNames({ store }: ListenerDeps, text: string): Promise<string> {
  const [, first = '', second = ''] = text.trim().split(/\s+/);
  if (second === '') {
    return text;
  }
  const start = first.replace(/^\w+:/, '').replaceAll(/["“”„]/g, '');
  const names = await withTimeout(NAMES_TIMEOUT_MS, () => store.serviceNames.matching(start, MOST_NAMES)).catch(
    () => [],
  );
  return quoteKnownNames(text, names);
}

/** The service that somebody meant by a word; null: none is close. The latest to fail wins. */
async function findService({ store }: ListenerDeps, typed: string | null): Promise<string | null> {
  return typed === null ? null : closest(typed, await store.serviceNames.matching('', MOST_NAMES));
}
