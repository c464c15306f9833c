import { createHash, randomUUID } from 'node:crypto';
import { addMilliseconds } from 'date-fns/addMilliseconds';
import type { Logger } from 'pino';
import type { Attempt } from '../domain/attempt.ts';
import type { Message } from '../domain/message.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { RESPONSE_URL_REFUSED } from '../slack/errors.ts';
import type { MessageStore } from '../store/messages.ts';
import { LATE_POST_MS } from './find-attempt.ts';
import type { MessageKind, Rendered, Withdrawn } from './kind.ts';
import { MessageCallError, type SlackCalls } from './slack-calls.ts';

/** The message was deleted, a modal was closed, or another app posted the message and used the same database. */
const NOT_OURS = new Set(['message_not_found', 'cant_update_message', 'not_found', RESPONSE_URL_REFUSED]);

export interface DeliverDeps {
  readonly store: Pick<
    MessageStore,
    'beginAttempt' | 'endAttempt' | 'forget' | 'confirmShown' | 'confirmSent' | 'drop' | 'hold'
  >;
  readonly slack: SlackCalls;
  readonly requestAudit: (message: Message, withinMs: number) => Promise<void>;
  /** Slack's time. */
  readonly slackNow: () => Date;
  readonly logger: Logger;
}

/** How long the message was out of date, in milliseconds; null: nothing visible has changed. */
export type Delivered = { readonly dueForMs: number } | null;

/**
 * Posts a claimed message exactly once, and keeps it up to date:
 *
 * 1. Render the latest state. If there is nothing to show, drop the message. If it is too early, hold it. If it is no
 *    longer wanted but an earlier attempt may have posted it, search for that post.
 * 2. If it is already in Slack, compare, and edit it if it differs. If it is gone, forget it; it will be posted again.
 * 3. If an earlier attempt may have posted it, search for it. If it is found, continue with it.
 * 4. Otherwise store the attempt, then post. A clear refusal ends the attempt. After any other failure the attempt stays,
 *    and the next claim searches for it.
 * 5. Confirm. If the lease was lost meanwhile, nothing is written and the channel is audited.
 *
 * @throws MessageCallError, or errors of the store; the caller releases the message
 */
export async function deliver(message: Message, kind: MessageKind, deps: DeliverDeps): Promise<Delivered> {
  const rendered = await kind.render(message);
  if (rendered === null) {
    await deps.store.drop(message);
    return null;
  }
  if ('ifPosted' in rendered) {
    await withdraw(message, rendered, deps);
    return null;
  }
  if ('heldUntil' in rendered) {
    await deps.store.hold(message, rendered.heldUntil);
    return null;
  }
  const delivery: Delivery = {
    message,
    kind,
    rendered,
    digest: digestOf(rendered.comparedAs ?? rendered.content),
    deps,
  };
  const { ts, attempt } = message;
  if (ts !== null) {
    return message.digest === delivery.digest ? confirm(delivery, ts, false) : edit(delivery, ts);
  }
  if (attempt === null) {
    return post(delivery, { id: randomUUID(), firstAt: deps.slackNow() });
  }
  const found = await deps.slack.find(message, attempt);
  if (found !== null) {
    return kind.lifecycle === 'kept true' ? edit(delivery, found) : confirm(delivery, found, true);
  }
  await deps.requestAudit(message, LATE_POST_MS);
  return post(delivery, attempt);
}

/** Searches for the post of an unwanted message. Ends the attempt once its post cannot arrive any more. */
async function withdraw(message: Message, { ifPosted, heldUntil }: Withdrawn, deps: DeliverDeps): Promise<void> {
  const { attempt } = message;
  if (attempt === null) {
    throw new TypeError(`a ${message.kind} without an attempt cannot be withdrawn`);
  }
  if ((await deps.slack.find(message, attempt)) !== null) {
    if ((await deps.store.confirmSent(message, true, ifPosted)) === null) {
      await deps.requestAudit(message, LATE_POST_MS);
    }
    return;
  }
  if (deps.slackNow() >= addMilliseconds(attempt.lastAt, LATE_POST_MS)) {
    await deps.store.endAttempt(message);
  }
  await deps.store.hold(message, heldUntil);
}

interface Delivery {
  readonly message: Message;
  readonly kind: MessageKind;
  readonly rendered: Rendered;
  readonly digest: string;
  readonly deps: DeliverDeps;
}

async function edit(delivery: Delivery, ts: string): Promise<Delivered> {
  const { message, rendered, deps } = delivery;
  try {
    await deps.slack.edit(message, ts, rendered);
  } catch (error) {
    if (!(error instanceof MessageCallError && NOT_OURS.has(error.failure.error))) {
      throw error;
    }
    deps.logger.info({ ...namesOf(message), reason: error.failure.error }, 'a message is gone');
    await deps.store.forget(message);
    return null;
  }
  return confirm(delivery, ts, true);
}

async function post(delivery: Delivery, { id, firstAt }: Pick<Attempt, 'id' | 'firstAt'>): Promise<Delivered> {
  const { message, rendered, deps } = delivery;
  const attempt = { id, firstAt, lastAt: deps.slackNow() };
  if (!(await deps.store.beginAttempt(message, attempt, rendered.attemptData))) {
    deps.logger.warn(namesOf(message), 'the lease expired before the post; another process posts');
    return null;
  }
  let ts: string;
  try {
    ts = await deps.slack.post(message, id, rendered.content);
  } catch (error) {
    // An earlier attempt may still arrive, so only an attempt that started here can be ended.
    if (message.attempt === null && error instanceof MessageCallError && error.failure.kind !== 'ambiguous') {
      await deps.store.endAttempt(message);
    }
    throw error;
  }
  return confirm(delivery, ts, true);
}

async function confirm(delivery: Delivery, ts: string, isSent: boolean): Promise<Delivered> {
  const { message, kind, rendered, digest, deps } = delivery;
  const { restMs = 0, hasMore = false, also } = rendered;
  const dueForMs =
    kind.lifecycle === 'kept true'
      ? await deps.store.confirmShown(message, { ts, digest, restMs, isSent }, also?.(ts))
      : await deps.store.confirmSent(message, hasMore, also?.(ts));
  if (dueForMs === null) {
    deps.logger.warn(namesOf(message), 'the lease expired during delivery; the channel is audited');
    await deps.requestAudit(message, LATE_POST_MS);
    return null;
  }
  return isSent ? { dueForMs } : null;
}

function digestOf(content: SlackMessage): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

function namesOf({ kind, subject, placeId }: Message) {
  return { kind, subject, placeId };
}
