import { randomBytes } from 'node:crypto';
import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** The person who acted, and the Work Object that they opened, if any. */
export interface Trigger {
  readonly userId: string;
  /** The id in its `external_ref`. */
  readonly entityId: string | null;
}

/** A trigger_id lets the app open one modal, or present the details of one Work Object, for the person who acted. */
export interface Triggers {
  issue(userId: string, entityId?: string): string;
  /** @throws SlackError when it is unknown, used or older than 3 s */
  redeem(triggerId: string): Trigger;
}

interface IssuedTrigger extends Trigger {
  readonly expiresAtMs: number;
  readonly isUsed: boolean;
}

const MAX_TRIGGERS = 1_000;

export function createTriggers(now: () => Date): Triggers {
  const triggers = new Map<string, IssuedTrigger>();
  return {
    issue(userId, entityId) {
      const id = `${now().getTime()}.${triggers.size}.${randomBytes(12).toString('hex')}`;
      const expiresAtMs = now().getTime() + LIMITS.triggerMs;
      triggers.set(id, { userId, entityId: entityId ?? null, expiresAtMs, isUsed: false });
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
      return trigger;
    },
  };
}
