import { createKind, type EffectKind } from '../../../effects/performer.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { postInThreads } from '../../messages/notices.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf, WORKSPACE, waitingFor } from '../../targets/slack-workspace.ts';
import type { CardStore } from '../card/cards.ts';
import type { RoomOutcome } from './room.ts';
import { Bookmark, InRoom, topicOf } from './room.ts';
import { notInvited } from './room-words.ts';

/** Looks for a card before it is given up, about an hour: somebody may have archived the room before it was posted. */
const MOST_LOOKS = 60;

const DONE = { outcome: {} } as const;

/** Invites one person, so that somebody whom Slack refuses keeps nobody else out. */
export function createInvitationKind(
  api: Pick<SlackApi, 'conversations'>,
  roomOf: (incidentId: string) => Promise<RoomOutcome | null>,
): EffectKind<Tables> {
  return createKind<Tables, string>({
    target: WORKSPACE,
    effectOf: (effect) => ({
      async look() {
        const room = await roomOf(effect.subject);
        if (room === null) {
          return { over: waitingFor('the room', effect) };
        }
        return 'channelId' in room ? { seen: room.channelId } : { over: { outcome: room, isRefused: true } };
      },
      async call(channelId) {
        await api.conversations.invite({ channel: channelId, users: effect.detail });
        return DONE;
      },
      failureOf,
    }),
    endOf: (effect, error) =>
      endOf(effect, error, (failure) =>
        failure.error === 'already_in_channel'
          ? DONE
          : {
              outcome: failure,
              isRefused: true,
              also: async (tx) => {
                const { subject, detail } = effect;
                await postInThreads(tx, `${subject} ${detail}`, subject, notInvited(detail, failure.error));
              },
            },
      ),
  });
}

/** Keeps the topic true. It is due again with each change of the incident. */
export function createTopicKind(
  api: Pick<SlackApi, 'conversations'>,
  incidents: Pick<IncidentStore, 'find'>,
): EffectKind<Tables> {
  return createKind<Tables, string>({
    target: WORKSPACE,
    effectOf({ subject, data }) {
      const { channelId } = InRoom.parse(data);
      return {
        async look() {
          const known = await incidents.find(subject);
          if (known === null) {
            return { over: DONE };
          }
          const topic = topicOf(known.incident);
          // Slack tells everybody in the channel about each new topic, also about an equal one.
          const { channel } = await api.conversations.info({ channel: channelId });
          return channel?.topic?.value === topic ? { over: DONE } : { seen: topic };
        },
        async call(topic) {
          await api.conversations.setTopic({ channel: channelId, topic });
          return DONE;
        },
        failureOf,
      };
    },
    endOf: (effect, error) => endOf(effect, error, (failure) => ({ outcome: failure, isRefused: true })),
  });
}

/** Adds a link above the messages, unless it is there. */
export function createBookmarkKind(api: Pick<SlackApi, 'bookmarks'>): EffectKind<Tables> {
  return createKind<Tables, null>({
    target: WORKSPACE,
    effectOf({ data }) {
      const { channelId, title, url } = Bookmark.parse(data);
      const isThere = async () => {
        const { bookmarks = [] } = await api.bookmarks.list({ channel_id: channelId });
        return bookmarks.some(({ link }) => link === url);
      };
      return {
        look: async () => ((await isThere()) ? { over: DONE } : { seen: null }),
        async call() {
          await api.bookmarks.add({ channel_id: channelId, title, type: 'link', link: url });
          return DONE;
        },
        failureOf,
      };
    },
    endOf: (effect, error) => endOf(effect, error, (failure) => ({ outcome: failure, isRefused: true })),
  });
}

/** Pins the card of the incident in its room, once it is there. */
export function createPinKind(api: Pick<SlackApi, 'pins'>, cards: Pick<CardStore, 'findTs'>): EffectKind<Tables> {
  return createKind<Tables, string>({
    target: WORKSPACE,
    effectOf(effect) {
      const { channelId } = InRoom.parse(effect.data);
      return {
        async look() {
          const ts = await cards.findTs(effect.subject, channelId);
          if (ts !== null) {
            return { seen: ts };
          }
          const isGivenUp = effect.failures >= MOST_LOOKS;
          return { over: isGivenUp ? { outcome: {}, isRefused: true } : waitingFor('the card', effect) };
        },
        async call(ts) {
          await api.pins.add({ channel: channelId, timestamp: ts });
          return DONE;
        },
        failureOf,
      };
    },
    endOf: (effect, error) =>
      endOf(effect, error, (failure) =>
        failure.error === 'already_pinned' ? DONE : { outcome: failure, isRefused: true },
      ),
  });
}
