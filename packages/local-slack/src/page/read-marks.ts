import { isDirect, type Message } from '../workspace/model.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Unread } from './page-types.ts';

/** How far each person has read each channel. Part of the saved workspace. */
export interface ReadMarks {
  /** The ts of the newest message that the person has seen. Empty when they have seen none. */
  lastRead(personId: string, channelId: string): string;
  /** Also moves backwards, when a person marks a message as unread. */
  mark(personId: string, channelId: string, ts: string): void;
  unread(personId: string, channelId: string): Unread;
}

export function createReadMarks(workspace: Workspace): ReadMarks {
  const idOf = (personId: string, channelId: string): string => `${personId} ${channelId}`;

  function lastRead(personId: string, channelId: string): string {
    return workspace.readMarks.find(idOf(personId, channelId))?.ts ?? '';
  }

  return {
    lastRead,
    mark(personId, channelId, ts) {
      if (lastRead(personId, channelId) !== ts) {
        workspace.readMarks.put({ id: idOf(personId, channelId), ts });
      }
    },
    unread(personId, channelId) {
      const since = lastRead(personId, channelId);
      const channel = workspace.findChannel(channelId);
      const fresh = workspace.messages(channelId).filter(({ ts, user }) => ts > since && user !== personId);
      return {
        isUnread: fresh.some(({ threadTs }) => threadTs === null),
        mentions:
          channel !== null && isDirect(channel)
            ? fresh.length
            : fresh.filter((message) => mentions(message, personId)).length,
      };
    },
  };
}

function mentions({ text, blocks }: Message, personId: string): boolean {
  const all = `${text} ${JSON.stringify(blocks)}`;
  return [`<@${personId}`, `"user_id":"${personId}"`, '<!here', '<!channel', '<!everyone', '"broadcast"'].some((name) =>
    all.includes(name),
  );
}
