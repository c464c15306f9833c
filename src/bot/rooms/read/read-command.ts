import { NotOfferedError, ServiceResponseError } from '../../../client/errors.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import type { Answer } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, type Click, toClick } from '../../listeners/buttons.ts';
import type { CommandHandler } from '../../listeners/command-handler.ts';
import { failedRead } from '../../listeners/failed-read.ts';
import { ChannelError, joinChannel } from '../../slack/channels.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import { answeringRuleMakers, type RulesDeps } from '../rules/permission.ts';
import { recordRuleChange } from '../rules/rule-commands.ts';
import { alertsIn } from './alerts-in.ts';
import {
  ONLY_IN_CHANNELS,
  parseToolValue,
  readMessage,
  type SeenTool,
  startedWords,
  stoppedWords,
  TAKES_NO_EVENTS,
} from './read-words.ts';
import type { ReadingStore } from './readings.ts';
import { postedByTool } from './tool-message.ts';

/** What this room needs beside what all listeners share. */
export type ReadDeps = RulesDeps & {
  readonly store: { readonly readings: ReadingStore };
  /** Called when something is to be sent to the service. */
  readonly onKept: () => void;
  /** null: not signed in yet. */
  readonly identity: () => { readonly appId: string; readonly botUserId: string } | null;
  /** Address of the dashboard; null: there is none. */
  readonly publicUrl: string | null;
};

/** Messages of a channel that are looked at for apps. */
const LOOKED_AT = 100;

/** `/incidents read`: which apps of this channel are read, and which could be. */
export const handleRead: CommandHandler<ReadDeps> = async (deps, { asker, respond, ack }) => {
  await ack();
  await answeringRuleMakers(deps, asker, respond, async (answer) => {
    const { channelId } = asker;
    if (channelId === null || channelId.startsWith('D')) {
      return answer(sentence(ONLY_IN_CHANNELS));
    }
    try {
      if (!(await takesEvents(deps))) {
        return await answer(sentence(TAKES_NO_EVENTS));
      }
      await joinChannel(deps.api, channelId);
    } catch (error) {
      return answer(error instanceof ChannelError ? sentence(error.message) : failedRead(deps, error, null));
    }
    await answer(await describe(deps, channelId));
  });
};

/** Whether the service takes events: one that does says that it does not know this integration. */
async function takesEvents({ service }: Pick<ReadDeps, 'service'>): Promise<boolean> {
  try {
    await service.handOverEvents('-', [], 'read');
    return false;
  } catch (error) {
    if (error instanceof NotOfferedError) {
      return false;
    }
    if (error instanceof ServiceResponseError && error.problem.code === 'integration-not-found') {
      return true;
    }
    throw error;
  }
}

async function describe(deps: ReadDeps, channelId: ChannelId) {
  const [readings, { messages = [] }] = await Promise.all([
    deps.store.readings.ofChannel(channelId),
    deps.api.conversations.history({ channel: channelId, limit: LOOKED_AT }),
  ]);
  const own = deps.identity();
  const tools = new Map<string, SeenTool>();
  for (const message of messages) {
    const said = postedByTool(channelId, message);
    const isOwn = message.user === own?.botUserId || message.app_id === own?.appId;
    if (said !== null && !isOwn && !readings.some(({ botId }) => botId === said.botId)) {
      const { botId, botName } = said;
      const newest = tools.get(botId) ?? { botId, botName, count: 0, last: alertsIn(message)[0]?.title ?? '' };
      tools.set(botId, { ...newest, count: newest.count + 1 });
    }
  }
  return readMessage({ readings, tools: [...tools.values()], lookedAt: messages.length }, deps.publicUrl);
}

/** "Read" in the answer to the command. */
export function createReadStartListener(deps: ReadDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const tool = parseToolValue(click.value);
    if (tool === null || click.channelId === null) {
      return answer(outdatedControl());
    }
    const { channelId, slackUserId: createdBy } = click;
    const reading = await deps.store.readings.start({ ...tool, channelId, createdBy });
    deps.onKept();
    await recordRuleChange(deps, click, 'read', 1);
    await answer(sentence(startedWords(reading)));
  });
}

/** "Stop" in the answer to the command. */
export function createReadStopListener(deps: ReadDeps) {
  return onRuleClick(deps, async (click, answer) => {
    const stopped = await deps.store.readings.stop(click.value);
    if (stopped === null) {
      return answer(sentence('That is not read any more already.'));
    }
    await recordRuleChange(deps, click, 'stop reading', 1);
    await answer(sentence(stoppedWords(stopped)));
  });
}

function onRuleClick(deps: ReadDeps, react: (click: Click, answer: Answer) => Promise<void>) {
  return async (args: ButtonArgs): Promise<void> => {
    await args.ack();
    const click = toClick(args);
    await answeringRuleMakers(deps, click, args.respond, (answer) => react(click, answer));
  };
}
