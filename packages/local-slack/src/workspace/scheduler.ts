import type { Clock } from '../clock.ts';
import type { ScheduledMessage } from './model.ts';
import { BOT_USER_ID } from './seed.ts';
import type { Workspace } from './workspace.ts';

/** Posts scheduled messages when they are due. Overdue messages are posted at the start. */
export interface Scheduler extends Disposable {
  add(message: ScheduledMessage): void;
  cancel(id: string): void;
}

/** Longest timeout of a Node timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function createScheduler(deps: {
  workspace: Workspace;
  /** Whether the app may post in public channels that it is not a member of. */
  postsInPublic: boolean;
  clock: Clock;
}): Scheduler {
  const { workspace, clock } = deps;
  const waiting = new Map<string, () => void>();

  function arm(message: ScheduledMessage): void {
    const ms = message.postAt * 1000 - clock.now().getTime();
    if (ms > 0) {
      waiting.set(
        message.id,
        clock.after(Math.min(ms, MAX_TIMEOUT_MS), () => arm(message)),
      );
      return;
    }
    waiting.delete(message.id);
    workspace.scheduledMessages.remove(message.id);
    if (canPost(message)) {
      const { channel, text, blocks, attachments, threadTs, isBroadcast } = message;
      workspace.post({ channel, user: BOT_USER_ID, content: { text, blocks }, attachments, threadTs, isBroadcast });
    }
  }

  /**
   * As in Slack, a message that cannot be posted causes no error. Slack never posts one with metadata: see the bug
   * alert at https://docs.slack.dev/reference/methods/chat.scheduleMessage.
   */
  function canPost(message: ScheduledMessage): boolean {
    const channel = workspace.findChannel(message.channel);
    if (channel === null || channel.isArchived || message.metadata !== null) {
      return false;
    }
    return channel.members.includes(BOT_USER_ID) || (channel.kind === 'public' && deps.postsInPublic);
  }

  for (const message of workspace.scheduledMessages.all()) {
    arm(message);
  }
  return {
    add(message) {
      workspace.scheduledMessages.put(message);
      arm(message);
    },
    cancel(id) {
      waiting.get(id)?.();
      waiting.delete(id);
      workspace.scheduledMessages.remove(id);
    },
    [Symbol.dispose]() {
      for (const cancel of waiting.values()) {
        cancel();
      }
      waiting.clear();
    },
  };
}
