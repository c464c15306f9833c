import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Channel, ScheduledMessage } from '../workspace/model.ts';
import { APP_ID, BOT_ID, BOT_USER_ID, TEAM } from '../workspace/seed.ts';
import { type Arguments, getChannel, type Method, type MethodDeps, page, secondsNow } from './method.ts';
import { findTarget, readContent, readMetadata, readThread, refuseArchived, refuseOutsider } from './posting.ts';

export const scheduledMethods: Readonly<Record<string, Method>> = {
  'chat.scheduleMessage': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = findTarget(deps, args.needed('channel'));
      refuseArchived(channel);
      refuseOutsider(deps, channel);
      const postAt = readTime(args, deps);
      refuseTooMany(deps, channel, postAt);
      const { content, attachments } = readContent(args);
      const message: ScheduledMessage = {
        id: deps.workspace.nextId('Q'),
        channel: channel.id,
        postAt,
        createdAt: secondsNow(deps),
        text: content.text,
        blocks: content.blocks,
        attachments,
        metadata: readMetadata(args) ?? null,
        threadTs: readThread(args, deps, channel),
        isBroadcast: args.text('thread_ts') !== null && args.flag('reply_broadcast'),
      };
      deps.scheduler.add(message);
      return {
        channel: channel.id,
        scheduled_message_id: message.id,
        post_at: postAt,
        message: {
          type: 'delayed_message',
          text: message.text,
          user: BOT_USER_ID,
          bot_id: BOT_ID,
          app_id: APP_ID,
          team: TEAM.id,
          ...(message.blocks.length > 0 && { blocks: message.blocks }),
          ...(attachments.length > 0 && { attachments }),
        },
      };
    },
  },

  'chat.scheduledMessages.list': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const channel = args.text('channel');
      if (channel !== null && deps.workspace.findChannel(channel) === null) {
        throw new SlackError('invalid_channel');
      }
      const oldest = Number(args.text('oldest') ?? 0);
      const latest = Number(args.text('latest') ?? Number.POSITIVE_INFINITY);
      const waiting = deps.workspace.scheduledMessages
        .all()
        .filter((message) => channel === null || message.channel === channel)
        .filter(({ postAt }) => postAt >= oldest && postAt <= latest)
        .toSorted((one, other) => one.postAt - other.postAt);
      const limit = args.count('limit', 100, LIMITS.listPage);
      const { items, nextCursor } = page(waiting, args.text('cursor'), limit);
      return {
        scheduled_messages: items.map(({ id, channel: channelId, postAt, createdAt, text }) => ({
          id,
          channel_id: channelId,
          post_at: postAt,
          date_created: createdAt,
          text,
        })),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },

  'chat.deleteScheduledMessage': {
    token: 'bot',
    scope: 'chat:write',
    run(args, deps) {
      const channel = getChannel(deps, args.needed('channel'));
      const message = deps.workspace.scheduledMessages.find(args.needed('scheduled_message_id'));
      const isTooLate = message !== null && message.postAt - secondsNow(deps) < LIMITS.scheduleDeleteSeconds;
      if (message?.channel !== channel.id || isTooLate) {
        throw new SlackError('invalid_scheduled_message_id');
      }
      deps.scheduler.cancel(message.id);
      return {};
    },
  },
};

function readTime(args: Arguments, deps: MethodDeps): number {
  const postAt = Number(args.needed('post_at'));
  if (!Number.isInteger(postAt)) {
    throw new SlackError('invalid_time');
  }
  const ahead = postAt - secondsNow(deps);
  if (ahead <= 0) {
    throw new SlackError('time_in_past');
  }
  if (ahead > LIMITS.scheduleAheadSeconds) {
    throw new SlackError('time_too_far');
  }
  return postAt;
}

/** Limits the number of scheduled messages of a channel in any window of five minutes. */
function refuseTooMany(deps: MethodDeps, channel: Channel, postAt: number): void {
  const times = [
    postAt,
    ...deps.workspace.scheduledMessages.all().flatMap((each) => (each.channel === channel.id ? [each.postAt] : [])),
  ];
  const isCrowded = times
    .filter((start) => start <= postAt && postAt < start + LIMITS.scheduleWindowSeconds)
    .some((start) => {
      const inWindow = times.filter((time) => time >= start && time < start + LIMITS.scheduleWindowSeconds);
      return inWindow.length > LIMITS.scheduledPerWindow;
    });
  if (isCrowded) {
    throw new SlackError('restricted_too_many');
  }
}
