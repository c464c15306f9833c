import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { closest } from '../../../runtime/closest.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { answeringMembers } from '../../listeners/answering.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { HandledCommand } from '../../listeners/feature.ts';
import { parseIncidentsCommand, quoteKnownNames } from '../../listeners/parse-command.ts';
import { typedText } from '../../listeners/typed-text.ts';
import { unknownWordMessage, wrongArgumentsMessage } from './help.ts';

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** Handles `/incidents …`. @param words those of all rooms */
export function createIncidentsListener<Deps extends ListenerDeps>(
  deps: Deps,
  words: Readonly<Record<string, HandledCommand<Deps>>>,
) {
  return async ({ ack, command, respond }: CommandArgs): Promise<void> => {
    const parsed = parseIncidentsCommand(await quoteNames(deps, typedText(command.text, words)), words);
    const word = parsed.kind === 'unknown' ? '' : ` ${parsed.word}`;
    const asker = {
      slackUserId: command.user_id,
      channelId: command.channel_id,
      what: `${COMMANDS.incidents}${word}`,
    };
    if (parsed.kind === 'command') {
      return words[parsed.word]?.handle(deps, {
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
          ? unknownWordMessage(parsed, words)
          : wrongArgumentsMessage({ ...parsed, meant: await findService(deps, parsed.service) }, words),
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
