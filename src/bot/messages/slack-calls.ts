import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { COMMANDS } from '../blocks/ids.ts';
import { classifySlackFailure, type SlackFailure } from '../slack/errors.ts';
import { isPerson, type PlaceId } from '../slack/identifiers.ts';
import { QUIET, type SlackApi } from '../slack/methods.ts';
import type { RespondTo } from '../slack/respond.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Attempt } from './attempt.ts';
import type { FindAttempt } from './find-attempt.ts';
import type { MessageKind, Rendered } from './kind.ts';
import type { Message } from './message.ts';
import { metadataOf } from './metadata.ts';
import type { MessageCall } from './throttle.ts';

const WITHOUT_BUTTONS = `Slack rejected the buttons of this message. \`${COMMANDS.incidents} help\` lists the commands to use instead.`;
const TOO_MUCH_FOR_SLACK = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long']);
/** Placeholder for `ts`: an app has one Home tab for each person. */
const HOME_TAB = 'home';

/** A Slack call of the message protocol failed. */
export class MessageCallError extends Error {
  override readonly name = 'MessageCallError';
  readonly call: MessageCall;
  readonly failure: SlackFailure;
  constructor(call: MessageCall, cause: unknown) {
    const failure = classifySlackFailure(cause);
    super(`${call}: ${failure.error}`, { cause });
    this.call = call;
    this.failure = failure;
  }
}

/** The content of an edit. For a view in a modal, `modal` is used. */
type EditedContent = Pick<Rendered, 'content' | 'modal'>;

type Place = Pick<Message, 'placeId' | 'threadTs' | 'kind' | 'subject'>;

/** What is stored of an open view: its modal, or the `response_url` that replaces its message. */
const OpenViewPlace = z.object({ viewId: z.string().nullable(), responseUrl: z.string().nullable() });
type OpenViewPlace = z.infer<typeof OpenViewPlace>;

/** The Slack calls of the message protocol. Each throws MessageCallError. */
export interface SlackCalls {
  /** @returns its `ts` */
  post(place: Place, attemptId: string, content: SlackMessage): Promise<string>;
  edit(message: Message, ts: string, content: EditedContent): Promise<void>;
  /** The `ts` of the message that an attempt posted; null: it did not post. */
  find(place: Place, attempt: Attempt): Promise<string | null>;
}

/**
 * @param findAttempt shared by all deliveries, so that a long search continues where the last one stopped
 * @param onWorked called after each call that Slack answered with ok
 */
export function createSlackCalls(
  { api, respondTo }: { readonly api: SlackApi; readonly respondTo: RespondTo },
  { shownAs }: Pick<MessageKind, 'shownAs'>,
  findAttempt: FindAttempt,
  onWorked: (call: MessageCall, placeId: PlaceId) => void,
): SlackCalls {
  async function calling<Result>(call: MessageCall, placeId: PlaceId, run: () => Promise<Result>): Promise<Result> {
    try {
      const result = await run();
      onWorked(call, placeId);
      return result;
    } catch (error) {
      throw new MessageCallError(call, error);
    }
  }

  async function publish({ placeId }: Pick<Place, 'placeId'>, blocks: SlackMessage['blocks']): Promise<void> {
    await calling('views.publish', placeId, () =>
      api.views.publish({ user_id: placeId, view: { type: 'home', blocks: [...blocks] } }),
    );
  }

  /** Throws if the view is closed, or its `response_url` accepts no more. */
  async function replaceView(
    { viewId, responseUrl }: OpenViewPlace,
    { text, blocks }: SlackMessage,
    modal: ModalView | undefined,
  ): Promise<void> {
    if (viewId !== null && modal !== undefined) {
      await api.views.update({ view_id: viewId, view: modal });
    } else if (responseUrl !== null) {
      await respondTo(responseUrl, { text, blocks: [...blocks], response_type: 'ephemeral', replace_original: true });
    }
  }

  return {
    post: async (place, attemptId, { text, blocks }) => {
      if (shownAs === 'open view') {
        throw new TypeError(`a view of the kind ${place.kind} is shown by a listener, and never posted`);
      }
      if (shownAs === 'home tab') {
        await publish(place, blocks);
        return HOME_TAB;
      }
      return calling('chat.postMessage', place.placeId, async () => {
        const { placeId: channel, threadTs } = place;
        const { ts } = await withTextAsFallback({ text, blocks }, (content) =>
          api.chat.postMessage({
            channel,
            ...(threadTs !== null && { thread_ts: threadTs }),
            ...content,
            ...QUIET,
            metadata: metadataOf(place, shownAs.subjectField, attemptId),
          }),
        );
        if (ts === undefined) {
          throw new Error('Slack accepted a message without returning its ts');
        }
        return ts;
      });
    },

    edit(message, ts, { content, modal }) {
      const { placeId, data } = message;
      if (shownAs === 'home tab') {
        return publish({ placeId }, content.blocks);
      }
      if (shownAs === 'open view') {
        return calling('chat.update', placeId, () => replaceView(OpenViewPlace.parse(data), content, modal));
      }
      return calling('chat.update', placeId, async () => {
        const channel = await conversationOf(api, placeId);
        await withTextAsFallback(content, (sent) => api.chat.update({ channel, ts, ...sent }));
      });
    },

    async find({ placeId, threadTs }, attempt) {
      if (typeof shownAs === 'string') {
        return HOME_TAB;
      }
      if (threadTs !== null) {
        return calling('conversations.replies', placeId, () =>
          findAttempt(attempt, (range) => api.conversations.replies({ channel: placeId, ts: threadTs, ...range })),
        );
      }
      return calling('conversations.history', placeId, async () => {
        const channel = await conversationOf(api, placeId);
        return findAttempt(attempt, (range) => api.conversations.history({ channel, ...range }));
      });
    },
  };
}

/** Posting accepts a user id, but reading and editing need the id of the conversation. */
export async function conversationOf(api: SlackApi, placeId: PlaceId): Promise<string> {
  if (!isPerson(placeId)) {
    return placeId;
  }
  const { channel } = await api.conversations.open({ users: placeId });
  return channel?.id ?? placeId;
}

/** Sends only the text if Slack refuses the blocks, with a hint to the commands. */
async function withTextAsFallback<Result>(
  { text, blocks }: SlackMessage,
  send: (content: { text: string; blocks: SlackMessage['blocks'] }) => Promise<Result>,
): Promise<Result> {
  try {
    return await send({ text, blocks });
  } catch (error) {
    if (!TOO_MUCH_FOR_SLACK.has(classifySlackFailure(error).error)) {
      throw error;
    }
    return send({ text: `${text}\n${WITHOUT_BUTTONS}`, blocks: [] });
  }
}
