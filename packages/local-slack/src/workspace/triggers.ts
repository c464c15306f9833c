import { randomBytes } from 'node:crypto';
import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** A trigger_id lets the app open one modal for the person who acted. */
export interface Triggers {
  issue(userId: string): string;
  /** @returns the id of the person @throws SlackError when it is unknown, used or older than 3 s */
  redeem(triggerId: string): string;
}

interface IssuedTrigger {
  readonly userId: string;
  readonly expiresAtMs: number;
  readonly isUsed: boolean;
}

const MAX_TRIGGERS = 1_000;

export function createTriggers(now: () => Date): Triggers {
  const triggers = new Map<string, IssuedTrigger>();
  return {
    issue(userId) {
      const id = `${now().getTime()}.${triggers.size}.${randomBytes(12).toString('hex')}`;
      const expiresAtMs = now().getTime() + LIMITS.triggerMs;
      triggers.set(id, { userId, expiresAtMs, isUsed: false });
      for (const old of [...triggers.keys()].slice(0, Math.max(0, triggers.size - MAX_TRIGGERS))) {
        triggers.delete(old);
      }
      return id;
    },
    redeem(triggerId) {
      const trigger = triggers.get(triggerId);
      if (trigger === undefined) {
        throw new SlackError('invalid_trigger_id');
      }
      if (trigger.isUsed) {
        throw new SlackError('exchanged_trigger_id');
      }
      if (now().getTime() > trigger.expiresAtMs) {
        throw new SlackError('expired_trigger_id');
      }
      triggers.set(triggerId, { ...trigger, isUsed: true });
      return trigger.userId;
    },
  };
}
