import type { KeptEffects } from '../../../effects/kept-effects.ts';
import type { Performer } from '../../../effects/performer.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { NoticeStore } from '../../messages/notices.ts';
import type { ChannelId, IncidentId, PlaceId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Tables } from '../../tables.ts';
import type { CardStore } from '../card/cards.ts';
import type { SubscriptionStore } from '../rules/subscriptions.ts';
import { createBookmarkKind, createInvitationKind, createPinKind, createTopicKind } from './furnishing-kinds.ts';
import type { RoomOutcome, Rooms } from './room.ts';
import {
  invitation,
  LOST,
  ROOM,
  ROOM_BOOKMARK,
  ROOM_INVITATION,
  ROOM_PIN,
  ROOM_TOPIC,
  type RoomRequest,
  roomName,
  STORED_OUTCOME,
} from './room.ts';
import { createRoomKind } from './room-kind.ts';
import { ROOM_IS_LOST } from './room-words.ts';

export interface RoomsOfBot extends Rooms {
  /** Forgets a channel that somebody archived or deleted, and tells the threads. @returns false: it is no room */
  lose(placeId: PlaceId): Promise<boolean>;
}

export function createRooms(deps: {
  readonly api: Pick<SlackApi, 'bookmarks' | 'conversations' | 'pins' | 'users'>;
  readonly store: {
    readonly cards: CardStore;
    readonly subscriptions: SubscriptionStore;
    readonly effects: KeptEffects<Tables>;
    readonly incidents: IncidentStore;
    readonly notices: NoticeStore;
  };
  readonly botUserId: () => string | null;
  readonly performer: Performer<Tables>;
  /** Called when a message may be due. */
  readonly onChanged: () => void;
  readonly clock: Clock;
}): RoomsOfBot {
  const { api, store, performer, onChanged, clock } = deps;
  const { effects, incidents, cards, subscriptions } = store;
  const waiting = new Set<() => void>();
  performer.add(
    {
      [ROOM]: createRoomKind({ api, incidents, botUserId: deps.botUserId }),
      [ROOM_INVITATION]: createInvitationKind(api, read),
      [ROOM_TOPIC]: createTopicKind(api, incidents),
      [ROOM_BOOKMARK]: createBookmarkKind(api),
      [ROOM_PIN]: createPinKind(api, cards),
    },
    () => {
      onChanged();
      for (const look of waiting) {
        look();
      }
    },
  );

  async function read(incidentId: IncidentId): Promise<RoomOutcome | null> {
    const stored = (await effects.stateOf(ROOM, incidentId))?.outcome;
    const outcome = stored === null ? null : STORED_OUTCOME.parse(stored);
    const isLost = outcome !== null && 'channelId' in outcome && !(await subscriptions.isKnown(outcome.channelId));
    return isLost ? LOST : outcome;
  }

  return {
    async keep(incident, { by, isPrivate }) {
      const request: RoomRequest = { name: roomName(incident), taken: 0, isPrivate };
      await effects.keep([{ kind: ROOM, subject: incident.id, data: request }, invitation(incident.id, by)]);
      performer.kick();
    },
    async lose(placeId) {
      const incidentId = await effects.subjectOf(ROOM, { channelId: placeId });
      if (incidentId === null) {
        return false;
      }
      await subscriptions.forget(placeId as ChannelId); // a room is a channel
      await store.notices.postInThreads(`room lost ${incidentId}`, incidentId, ROOM_IS_LOST);
      return true;
    },
    async outcome(incidentId, withinMs) {
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const cancel = clock.after(withinMs, () => resolve('late'));
      try {
        for (;;) {
          const { promise: settled, resolve: look } = Promise.withResolvers<'settled'>();
          const wake = () => look('settled');
          waiting.add(wake);
          const known = await read(incidentId);
          const isOver = known !== null || (await Promise.race([settled, late])) === 'late';
          waiting.delete(wake);
          if (isOver) {
            return known;
          }
        }
      } finally {
        cancel();
      }
    },
  };
}
