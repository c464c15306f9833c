/** @import { Message } from '../../../workspace/model.ts' */
/** @import { PageState } from '../../page-types.ts' */
/** @import { Server } from '../types.ts' */

/**
 * What the person has read in the open channel, and where the line "New" is.
 *
 * @param {Pick<Server, 'perform'>} server
 */
export function createReadPosition(server) {
  /** @type {string | null} */
  let shownPlace = null;
  /** @type {string | null} */
  let firstNewTs = null;
  /** The newest message when the person marked the channel as unread. @type {string | null} */
  let keptUnreadTs = null;

  return {
    /** The message below the line "New". Null for no line. */
    firstNewTs: () => firstNewTs,
    /** Call before drawing. The line stays while the person stays at the place. @param {string} place @param {PageState} state */
    arrive(place, { messages, lastReadTs, viewer }) {
      if (shownPlace !== place) {
        const isNew = messages.find(
          ({ ts, threadTs, user }) => ts > lastReadTs && threadTs === null && user !== viewer.id,
        );
        shownPlace = place;
        firstNewTs = isNew?.ts ?? null;
        keptUnreadTs = null;
      }
    },
    /** The next `arrive` counts as a new visit. */
    leave() {
      shownPlace = null;
    },
    /** Marks all messages as read, unless the window is in the background. @param {PageState} state */
    markRead({ messages, channels, channelId }) {
      const newest = messages.at(-1)?.ts ?? '';
      const place = channels.find(({ id }) => id === channelId);
      const hasUnread = place !== undefined && (place.isUnread || place.mentions > 0);
      if (hasUnread && !document.hidden && keptUnreadTs !== newest) {
        void server.perform('read', { channel: channelId, ts: newest });
      }
    },
    /** @param {PageState} state @param {Message} message the first unread one */
    markUnread({ messages, channelId }, { ts }) {
      const before = messages.findLast((message) => message.ts < ts)?.ts ?? '';
      firstNewTs = ts;
      keptUnreadTs = messages.at(-1)?.ts ?? '';
      void server.perform('read', { channel: channelId, ts: before });
    },
  };
}
