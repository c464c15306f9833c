import { setImmediate } from 'node:timers/promises';
import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import type { Attempt } from '../../src/bot/messages/attempt.ts';
import type { MessageKind } from '../../src/bot/messages/kind.ts';
import type { Message, MessageKindName } from '../../src/bot/messages/message.ts';
import { type DeliverDeps, deliver } from '../../src/bot/messages/message-effect.ts';
import type { Writes } from '../../src/bot/messages/message-store.ts';
import { MessageCallError } from '../../src/bot/messages/slack-calls.ts';
import type { MessageCall } from '../../src/bot/messages/throttle.ts';
import type { DeliveryEvent, Outcome } from './delivery-events.ts';
import { silentLogger } from './logger.ts';

/** A call of `deliver`. The model decides when it takes effect and returns. */
interface Effect {
  readonly name: string;
  /** null: a call of the database, which always works. */
  readonly call: MessageCall | null;
  readonly run: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Bot {
  /** Identifies its lease. */
  readonly lease: object;
  readonly waitsFor: Effect;
}

interface Row {
  ts: string | null;
  digest: string | null;
  attempt: Attempt | null;
  attemptData: unknown;
  needsRedraw: boolean;
  revision: number;
  lease: object | null;
}

export interface Posted {
  readonly attemptId: string;
  readonly content: string;
}

/** The subject of the message, and its kind. */
export interface Subject {
  /** Changes the content of the message. */
  readonly change: () => void;
  /** Removes content that was reported in another way. @returns whether nothing is left */
  readonly tellOtherwise: () => boolean;
  readonly kind: MessageKind;
}

/**
 * One message in the database, one place in Slack, and two bots that run the real `deliver`. Its effects happen one by
 * one, so that anything can happen between any two of them.
 */
export function createDeliveryModel(name: MessageKindName, { kind, change, tellOtherwise }: Subject) {
  /** null: there is nothing to show. */
  let row: Row | null = null;
  /** By `ts`. */
  const place = new Map<string, Posted>();
  /** Messages of an earlier installation of the app. */
  const foreign: typeof place = new Map();
  /** All posts, including deleted ones. */
  const posts: Posted[] = [];
  /** Messages that people deleted before any bot knew that they were posted. */
  const unseen = new Set<Posted>();
  const bots: (Bot | null)[] = [null, null];

  function makeDue(): void {
    change();
    row ??= { ts: null, digest: null, attempt: null, attemptData: null, needsRedraw: true, revision: 0, lease: null };
    row.needsRedraw = true;
    row.revision += 1;
  }

  function claim(index: number): void {
    if (bots[index] !== null || row === null || row.lease !== null || !row.needsRedraw) {
      return;
    }
    const lease = {};
    row.lease = lease;
    const { ts, digest, attempt, attemptData, revision } = row;
    const message = {
      id: 'message',
      kind: name,
      placeId: name === 'answer' || name === 'alert' ? 'U1' : 'C1',
      threadTs: name === 'reply' || name === 'reminder' ? '1.0' : null,
      subject: 'subject',
      data: {},
      ts,
      digest,
      attempt,
      attemptData,
      failures: 0,
      refusals: 0,
      revision: String(revision),
      lease: '1',
    } as Message; // the data is that of the test's kind
    const calls: string[] = [];

    function effect<Result>(
      effectName: string,
      run: () => Result | Promise<Result>,
      call: MessageCall | null = null,
    ): Promise<Result> {
      calls.push(effectName);
      return new Promise<unknown>((resolve, reject) => {
        bots[index] = { lease, waitsFor: { name: effectName, call, run, resolve, reject } };
      }) as Promise<Result>;
    }
    const held = () => (row?.lease === lease ? row : null);
    const hasChanged = () => row?.revision !== revision;

    const store: DeliverDeps['store'] = {
      beginAttempt: (_message, begun, data) =>
        effect('begin the attempt', () => {
          Object.assign(held() ?? {}, { attempt: begun, attemptData: data });
          return held() !== null;
        }),
      endAttempt: (_message) => effect('end the attempt', () => void Object.assign(held() ?? {}, NO_ATTEMPT)),
      forget: (_message) =>
        effect(
          'forget',
          () => void Object.assign(held() ?? {}, { ts: null, digest: null, lease: null, ...NO_ATTEMPT }),
        ),
      confirmShown: (_message, shown, also) =>
        effect('confirm that it is shown', () => {
          if (held() === null) {
            if (row?.ts === shown.ts) {
              Object.assign(row, { digest: null, needsRedraw: true, revision: row.revision + 1 });
            }
            return null;
          }
          Object.assign(held() ?? {}, {
            ts: shown.ts,
            digest: shown.digest,
            needsRedraw: hasChanged(),
            lease: null,
            ...NO_ATTEMPT,
          });
          run(also);
          return 0;
        }),
      confirmSent: (_message, hasMore, also) =>
        effect('confirm that it is sent', () => {
          if (held() === null) {
            return null;
          }
          if (hasMore || hasChanged()) {
            Object.assign(held() ?? {}, { lease: null, ...NO_ATTEMPT });
          } else {
            row = null;
          }
          run(also);
          return 0;
        }),
      hold: (_message) => effect('hold', () => void Object.assign(held() ?? {}, { lease: null })),
      drop: (_message) =>
        effect('drop', () => {
          if (held() !== null && !hasChanged() && attempt === null) {
            row = null;
          } else {
            Object.assign(held() ?? {}, { lease: null, ...NO_ATTEMPT });
          }
        }),
    };
    const slack: DeliverDeps['slack'] = {
      post: (_place, attemptId, { text }) =>
        effect(
          'post',
          () => {
            if (attempt !== null && !calls.includes('find')) {
              throw new Error('posted without looking for the earlier attempt');
            }
            const posted = { attemptId, content: text };
            posts.push(posted);
            place.set(`ts ${posts.length}`, posted);
            return `ts ${posts.length}`;
          },
          'chat.postMessage',
        ),
      edit: (_place, at, { content: { text } }) =>
        effect(
          'edit',
          () => {
            const before = place.get(at);
            if (before === undefined) {
              throw refusal('chat.update', foreign.has(at) ? 'cant_update_message' : 'message_not_found');
            }
            place.set(at, { ...before, content: text });
          },
          'chat.update',
        ),
      find: (_place, { id }) =>
        effect(
          'find',
          () => [...place, ...foreign].find(([, { attemptId }]) => attemptId === id)?.[0] ?? null,
          name === 'reply' || name === 'reminder' ? 'conversations.replies' : 'conversations.history',
        ),
    };
    const rendering: MessageKind = { ...kind, render: (claimed) => effect('render', () => kind.render(claimed)) };
    const deps = {
      store,
      slack,
      requestAudit: async () => undefined,
      requestLateEdit: async () => undefined,
      slackNow: () => new Date(0),
      logger: silentLogger,
    };
    void deliver(message, rendering, deps)
      .catch(() => effect('release', () => void Object.assign(held() ?? {}, { lease: null, digest: null })))
      .finally(() => {
        bots[index] = null;
      });
  }

  function crash(index: number, isDone: boolean): void {
    const bot = bots[index];
    if (bot && isDone) {
      takeEffect({ ...bot.waitsFor, resolve: () => undefined, reject: () => undefined }, 'works');
    }
    bots[index] = null;
  }

  function removeAll(): void {
    for (const posted of place.values()) {
      if (posted.attemptId === row?.attempt?.id) {
        unseen.add(posted);
      }
    }
    place.clear();
  }

  async function next(event: DeliveryEvent): Promise<void> {
    if (event.kind === 'claim') {
      claim(event.bot);
    } else if (event.kind === 'effect') {
      const bot = bots[event.bot];
      if (bot) {
        takeEffect(bot.waitsFor, event.outcome);
      }
    } else if (event.kind === 'crash') {
      crash(event.bot, event.isDone);
    } else if (event.kind === 'lease expires') {
      // Not in the instant in which a post is under way: the audit removes that duplicate.
      const isPosting = bots.some((bot) => bot?.lease === row?.lease && bot?.waitsFor.name === 'post');
      if (row !== null && !isPosting) {
        row.lease = null;
        row.digest = null; // the next claim sees that it takes over
      }
    } else if (event.kind === 'subject changes') {
      makeDue();
    } else if (event.kind === 'told in another way') {
      if (tellOtherwise() && row?.lease === null && row.attempt === null) {
        row = null;
      }
    } else if (event.kind === 'people delete it') {
      removeAll();
    } else {
      for (const [ts, posted] of place) {
        foreign.set(ts, posted);
      }
      place.clear();
    }
    await setImmediate();
  }

  makeDue();
  return { next, place, posts, unseen, row: () => row };
}

const NO_ATTEMPT = { attempt: null, attemptData: null } as const;

function takeEffect({ call, run: take, resolve, reject }: Effect, outcome: Outcome): void {
  try {
    const result = call === null || outcome.startsWith('works') ? take() : null;
    if (call === null || outcome === 'works') {
      resolve(result);
    } else {
      reject(new MessageCallError(call, failureOf(outcome)));
    }
  } catch (error) {
    reject(error as Error);
  }
}

function failureOf(outcome: Outcome): Error {
  if (outcome === 'is rate-limited') {
    return new WebAPIRateLimitedError(30);
  }
  return outcome === 'is refused'
    ? new WebAPIPlatformError({ ok: false, error: 'is_archived' })
    : new Error('no answer');
}

function refusal(call: MessageCall, error: string): MessageCallError {
  return new MessageCallError(call, new WebAPIPlatformError({ ok: false, error }));
}

/** Runs writes without a transaction. */
function run(also: Writes | undefined): void {
  void also?.(null as never, {});
}
