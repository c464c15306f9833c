import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Bookmark, Channel } from '../workspace/model.ts';
import { APP_ID, BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import { type Arguments, getChannel, isMember, type Method, type MethodDeps, secondsNow } from './method.ts';

export const bookmarkMethods: Readonly<Record<string, Method>> = {
  'bookmarks.add': {
    token: 'bot',
    scope: 'bookmarks:write',
    run(args, deps) {
      const channel = getPlace(args, deps);
      const title = args.needed('title');
      if (args.needed('type') !== 'link') {
        throw new SlackError('invalid_bookmark_type');
      }
      const link = args.text('link') ?? '';
      if (!/^https?:\/\//.test(link) || !URL.canParse(link)) {
        throw new SlackError('invalid_link');
      }
      if (bookmarksOf(deps, channel).length >= LIMITS.bookmarks) {
        throw new SlackError('too_many_bookmarks');
      }
      const bookmark = deps.workspace.bookmarks.put({
        id: deps.workspace.nextId('Bk'),
        channel: channel.id,
        title,
        link,
        emoji: readEmoji(args),
        createdAt: secondsNow(deps),
      });
      return { bookmark: present(bookmark) };
    },
  },

  'bookmarks.list': {
    token: 'bot',
    scope: 'bookmarks:read',
    run(args, deps) {
      return { bookmarks: bookmarksOf(deps, getPlace(args, deps)).map(present) };
    },
  },
};

function getPlace(args: Arguments, deps: MethodDeps): Channel {
  const channel = getChannel(deps, args.needed('channel_id'));
  if (!isMember(channel)) {
    throw new SlackError('permission_denied');
  }
  return channel;
}

function bookmarksOf(deps: MethodDeps, channel: Channel): Bookmark[] {
  return deps.workspace.bookmarks.all().filter((bookmark) => bookmark.channel === channel.id);
}

function readEmoji(args: Arguments): string | null {
  const emoji = args.text('emoji');
  if (emoji !== null && !/^:[a-z0-9_+'-]+:$/.test(emoji)) {
    throw new SlackError('invalid_emoji');
  }
  return emoji;
}

function present(bookmark: Bookmark): Record<string, unknown> {
  return {
    id: bookmark.id,
    channel_id: bookmark.channel,
    title: bookmark.title,
    link: bookmark.link,
    emoji: bookmark.emoji,
    icon_url: null,
    type: 'link',
    entity_id: null,
    date_created: bookmark.createdAt,
    date_updated: 0,
    rank: 'i',
    last_updated_by_user_id: BOT_USER_ID,
    last_updated_by_team_id: TEAM.id,
    shortcut_id: null,
    app_id: APP_ID,
  };
}
