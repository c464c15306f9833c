import type { Clock } from '../clock.ts';
import type { ScheduledMessage } from './model.ts';
import { BOT_USER_ID } from './seed.ts';
import type { Workspace } from './workspace.ts';

/** Posts the workspace's scheduled messages when they are due; what fell due while nobody ran, at once. */
export interface Scheduler extends Disposable {
  add(message: ScheduledMessage): void;
  cancel(id: string): void;
}

/** A timer of the machine holds no more. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export function createScheduler(deps: {
  workspace: Workspace;
  /** By its scopes the app posts in public channels that it is not in. */
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
        clock.after(Math.min(ms, LONGEST_WAIT_MS), () => arm(message)),
      );
      return;
    }
    waiting.delete(message.id);
    workspace.scheduledMessages.remove(message.id);
    if (isPosted(message)) {
      const { channel, text, blocks, attachments, threadTs, isBroadcast } = message;
      workspace.post({ channel, user: BOT_USER_ID, content: { text, blocks }, attachments, threadTs, isBroadcast });
    }
  }

  /**
   * Nobody is told of one that is not, neither here nor in Slack. With metadata none is: the bug alert at
   * /reference/methods/chat.scheduleMessage below https://docs.slack.dev.
   */
  function isPosted(message: ScheduledMessage): boolean {
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
      for (const callOff of waiting.values()) {
        callOff();
      }
      waiting.clear();
    },
  };
}
