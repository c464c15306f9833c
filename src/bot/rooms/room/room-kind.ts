import type { End, KeptEffect } from '../../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { postInThreads } from '../../messages/notices.ts';
import { isPerson } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import { endOf, failureOf, WORKSPACE } from '../../targets/slack-workspace.ts';
import { placeCard } from '../card/cards.ts';
import { afterMaking, channelName, type Room, RoomRequest } from './room.ts';
import { roomIsThere } from './room-words.ts';

const PAGE = 200;
/** Names that somebody else may have before the bot gives up. */
const MOST_TAKEN = 20;
/** How far the clock of Slack may be behind that of the database. */
const SKEW_MS = 60_000;

/** Makes the channel of an incident. An earlier attempt is found by its name and the time of its creation. */
export function createRoomKind(deps: {
  readonly api: Pick<SlackApi, 'conversations' | 'users'>;
  readonly incidents: Pick<IncidentStore, 'find'>;
  /** Of the bot; null: not signed in yet. */
  readonly botUserId: () => string | null;
}): EffectKind<Tables> {
  const { api, incidents, botUserId } = deps;

  /** The room that an earlier attempt made; null: it made none. */
  async function find(request: RoomRequest, since: Date | null): Promise<Room | null> {
    const types = request.isPrivate ? 'private_channel' : 'public_channel';
    const sinceSeconds = since === null ? 0 : (since.getTime() - SKEW_MS) / 1_000;
    let cursor = '';
    do {
      const { channels = [], response_metadata: next } = await api.users.conversations({ types, limit: PAGE, cursor });
      const made = channels.find(
        ({ name, creator, created = 0 }) =>
          name === channelName(request) && creator === botUserId() && created >= sinceSeconds,
      );
      if (made?.id !== undefined) {
        return { channelId: made.id, name: channelName(request), isPrivate: request.isPrivate };
      }
      cursor = next?.next_cursor ?? '';
    } while (cursor !== '');
    return null;
  }

  async function made({ subject }: KeptEffect, room: Room): Promise<End<Tables>> {
    const known = await incidents.find(subject);
    const people = new Set((known?.people ?? []).map(({ slackUserId }) => slackUserId));
    const invited = [...people].filter(isPerson); // others are user groups
    return {
      outcome: room,
      ...(known !== null && { follow: afterMaking(known.incident, room.channelId, invited) }),
      also: async (tx) => {
        await postInThreads(tx, `room ${subject}`, subject, roomIsThere(room)); // where cards are before the room has one
        await placeCard(tx, subject, room.channelId);
      },
    };
  }

  return createKind<Tables, RoomRequest>({
    target: WORKSPACE,
    effectOf(effect) {
      const request = RoomRequest.parse(effect.data);
      return {
        async look() {
          const room = effect.attemptedAt === null ? null : await find(request, effect.attemptedAt);
          return room === null ? { seen: request } : { over: await made(effect, room) };
        },
        async call() {
          const { channel } = await api.conversations.create({
            name: channelName(request),
            is_private: request.isPrivate,
          });
          const { id = '', name = channelName(request) } = channel ?? {};
          return made(effect, { channelId: id, name, isPrivate: request.isPrivate });
        },
        failureOf,
        async lookAgain() {
          const room = await find(request, effect.attemptedAt ?? new Date());
          return room === null ? null : made(effect, room);
        },
      };
    },

    endOf(effect, error) {
      return endOf(effect, error, (failure) => {
        const request = RoomRequest.parse(effect.data);
        return failure.error === 'name_taken' && request.taken < MOST_TAKEN
          ? { againInMs: 0, data: { ...request, taken: request.taken + 1 } }
          : { outcome: failure, isRefused: true };
      });
    },
  });
}
