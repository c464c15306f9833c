import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { carryOut, type Effect } from '../../effects/carry-out.ts';
import { addMilliseconds } from '../../runtime/dates.ts';
import { RESPONSE_URL_REFUSED } from '../slack/errors.ts';
import { LATE_POST_MS } from './find-attempt.ts';
import type { MessageKind, Rendered, Withdrawn } from './kind.ts';
import type { Message } from './message.ts';
import type { MessageStore } from './message-store.ts';
import { MessageCallError, type SlackCalls } from './slack-calls.ts';

/** The message was deleted, a modal was closed, or another app posted the message and used the same database. */
const NOT_OURS = new Set(['message_not_found', 'cant_update_message', 'not_found', RESPONSE_URL_REFUSED]);

/** Of content that an earlier process posted: it equals no other. */
const UNKNOWN_DIGEST = '';

export interface DeliverDeps {
  readonly store: Pick<
    MessageStore,
    'beginAttempt' | 'endAttempt' | 'forget' | 'confirmShown' | 'confirmSent' | 'drop' | 'hold'
  >;
  readonly slack: SlackCalls;
  readonly requestAudit: (message: Message, withinMs: number) => Promise<void>;
  /** See `lateEdit`. */
  readonly requestLateEdit: (message: Message) => Promise<void>;
  /** Slack's time. */
  readonly slackNow: () => Date;
  readonly logger: Logger;
}

/** How long the message was out of date, in milliseconds; null: nothing visible has changed. */
export type Delivered = { readonly dueForMs: number } | null;

/** What is to be shown, and where Slack shows the message now; null: nowhere, as far as is known. */
interface Wanted {
  readonly rendered: Rendered;
  readonly ts: string | null;
}

/** Where the message is; null: it was gone, and is due again. */
type Placed = { readonly ts: string } | null;

/**
 * Posts a claimed message exactly once, and keeps it up to date, as an effect (`effects/carry-out.ts`) that can be found:
 * the id of the attempt is stored before the post, and travels with it. After an unclear end the attempt stays, and the
 * next claim searches for it. If the lease was lost meanwhile, nothing is written and the channel is audited.
 *
 * @throws MessageCallError, or errors of the store; the caller releases the message
 */
export async function deliver(message: Message, kind: MessageKind, deps: DeliverDeps): Promise<Delivered> {
  const confirm = confirmation(message, kind, deps);
  const attemptId = randomUUID();
  const effect: Effect<Wanted, Placed, { readonly dueForMs: number }> = {
    async look() {
      const rendered = await kind.render(message);
      if (rendered === null) {
        await deps.store.drop(message);
        return { over: null };
      }
      if ('ifPosted' in rendered) {
        await withdraw(message, kind, rendered, deps);
        return { over: null };
      }
      if ('heldUntil' in rendered) {
        await deps.store.hold(message, rendered.heldUntil);
        return { over: null };
      }
      const { ts, attempt } = message;
      if (ts !== null) {
        const isShown = message.digest === digestOf(rendered);
        return isShown ? { over: await confirm(rendered, ts, false) } : { seen: { rendered, ts } };
      }
      const found = attempt === null ? null : await deps.slack.find(message, attempt);
      return found !== null && kind.lifecycle === 'sent once'
        ? { over: await confirm(rendered, found, true) }
        : { seen: { rendered, ts: found } };
    },

    async begin({ rendered, ts }) {
      if (ts !== null) {
        return true;
      }
      if (message.attempt !== null) {
        await deps.requestAudit(message, LATE_POST_MS);
      }
      const lastAt = deps.slackNow();
      const { id, firstAt } = message.attempt ?? { id: attemptId, firstAt: lastAt };
      const isHeld = await deps.store.beginAttempt(message, { id, firstAt, lastAt }, rendered.attemptData);
      if (!isHeld) {
        deps.logger.warn(namesOf(message), 'the lease expired before the post; another process posts');
      }
      return isHeld;
    },

    call: async ({ rendered, ts }) =>
      ts === null
        ? { ts: await deps.slack.post(message, message.attempt?.id ?? attemptId, rendered.content) }
        : edit(message, ts, kind, rendered, deps),

    failureOf(error) {
      if (!(error instanceof MessageCallError)) {
        return null;
      }
      return error.failure.kind === 'ambiguous' ? 'unknown' : 'nothing done';
    },

    async end({ ts }) {
      // An earlier attempt may still arrive, so only an attempt that started here can be ended.
      if (ts === null && message.attempt === null) {
        await deps.store.endAttempt(message);
      }
    },

    settle: async ({ rendered }, placed) => (placed === null ? null : confirm(rendered, placed.ts, true)),
  };
  return carryOut(effect);
}

/** Searches for the post of an unwanted message. Ends the attempt once its post cannot arrive any more. */
async function withdraw(
  message: Message,
  { lifecycle }: MessageKind,
  { ifPosted, heldUntil }: Withdrawn,
  deps: DeliverDeps,
): Promise<void> {
  const { attempt } = message;
  if (attempt === null) {
    throw new TypeError(`a ${message.kind} without an attempt cannot be withdrawn`);
  }
  const ts = await deps.slack.find(message, attempt);
  if (ts !== null) {
    const shown = { ts, digest: UNKNOWN_DIGEST, restMs: 0, isSent: true };
    const confirmed =
      lifecycle === 'kept true'
        ? await deps.store.confirmShown(message, shown, ifPosted)
        : await deps.store.confirmSent(message, true, ifPosted);
    if (confirmed === null) {
      await deps.requestAudit(message, LATE_POST_MS);
    }
    return;
  }
  if (deps.slackNow() >= addMilliseconds(attempt.lastAt, LATE_POST_MS)) {
    await deps.store.endAttempt(message);
  }
  await deps.store.hold(message, heldUntil);
}

async function edit(
  message: Message,
  ts: string,
  { shownAs }: MessageKind,
  rendered: Rendered,
  deps: DeliverDeps,
): Promise<Placed> {
  try {
    await deps.slack.edit(message, ts, rendered);
    return { ts };
  } catch (error) {
    // Slack takes few refreshes of an open view, which lives for minutes.
    if (error instanceof MessageCallError && error.failure.kind === 'ambiguous' && shownAs !== 'open view') {
      await deps.requestLateEdit(message);
    }
    if (!(error instanceof MessageCallError && NOT_OURS.has(error.failure.error))) {
      throw error;
    }
    deps.logger.info({ ...namesOf(message), reason: error.failure.error }, 'a message is gone');
    await deps.store.forget(message);
    return null;
  }
}

/** @returns a function that confirms what Slack shows, with what follows from it */
function confirmation(message: Message, kind: MessageKind, deps: DeliverDeps) {
  return async (rendered: Rendered, ts: string, isSent: boolean): Promise<Delivered> => {
    const { restMs = 0, hasMore = false, also } = rendered;
    const dueForMs =
      kind.lifecycle === 'kept true'
        ? await deps.store.confirmShown(message, { ts, digest: digestOf(rendered), restMs, isSent }, also?.(ts))
        : await deps.store.confirmSent(message, hasMore, also?.(ts));
    if (dueForMs === null) {
      deps.logger.warn(namesOf(message), 'the lease expired during delivery; the channel is audited');
      await deps.requestAudit(message, LATE_POST_MS);
      return null;
    }
    return isSent ? { dueForMs } : null;
  };
}

function digestOf({ comparedAs, content }: Rendered): string {
  return createHash('sha256')
    .update(JSON.stringify(comparedAs ?? content))
    .digest('base64url');
}

function namesOf({ kind, subject, placeId }: Message) {
  return { kind, subject, placeId };
}
