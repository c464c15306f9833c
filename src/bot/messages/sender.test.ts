import { setImmediate } from 'node:timers/promises';
import { WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createSender, type Target } from './sender.ts';

const NOW = new Date('2026-01-31T08:00:00Z');
const MESSAGE = { text: '', blocks: [] };
const OUTCOMES = ['works', 'works, and nobody hears of it', 'does not happen', 'is limited', 'is refused'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What the model can do next: all that can happen to one card, in any order. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim'), bot: fc.nat({ max: 1 }) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('effect'),
      bot: fc.nat({ max: 1 }),
      outcome: fc.oneof({ weight: 5, arbitrary: fc.constant('works' as const) }, fc.constantFrom(...OUTCOMES)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash'), bot: fc.nat({ max: 1 }), isDone: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lease runs out') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('incident changes') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('people delete it') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('the app is made anew') }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

/** A call that the sender waits for: it has its effect, and its answer, when the model says so. */
interface Effect {
  readonly name: string;
  /** Only what is asked of Slack can fail. */
  readonly isSlack: boolean;
  readonly run: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Bot {
  /** Of one card that it has leased. */
  readonly life: object;
  readonly waitsFor: Effect;
}

/** One card in the database, one channel in Slack, and two bots that run the real sender. */
function createModel() {
  const row = {
    ts: null as string | null,
    attempt: null as Target['attempt'],
    shownDigest: null as string | null,
    shown: 0,
    desired: 1,
    holder: null as object | null,
  };
  const channel = new Map<string, { attemptId: string; content: string }>();
  /** Of the app as it was before it was made anew. */
  const foreign: typeof channel = new Map();
  const bots: (Bot | null)[] = [null, null];
  let posts = 0;

  function claim(index: number): void {
    if (bots[index] !== null || row.holder !== null || row.shown >= row.desired) {
      return;
    }
    const life = {};
    row.holder = life;
    const claimed = { ...row };
    const content = String(row.desired);
    const calls: string[] = [];

    const effect = <Result>(name: string, run: () => Result, isSlack = false): Promise<Result> => {
      calls.push(name);
      return new Promise<unknown>((resolve, reject) => {
        bots[index] = { life, waitsFor: { name, isSlack, run, resolve, reject } };
      }) as Promise<Result>;
    };
    const sender = createSender({
      poster: {
        post: (_channel, _subject, attemptId) =>
          effect(
            'post',
            () => {
              expect(claimed.attempt === null || calls[0] === 'look up').toBe(true);
              posts += 1;
              const ts = `ts ${posts}`;
              channel.set(ts, { attemptId, content });
              return ts;
            },
            true,
          ),
        edit: ({ ts }) =>
          effect(
            'edit',
            () => {
              const before = channel.get(ts);
              if (foreign.has(ts)) {
                throw refusal('cant_update_message');
              }
              if (before === undefined) {
                throw refusal('message_not_found');
              }
              channel.set(ts, { ...before, content });
            },
            true,
          ),
        findAttempt: (_channel, { id }) =>
          effect(
            'look up',
            () => [...channel, ...foreign].find(([, { attemptId }]) => attemptId === id)?.[0] ?? null,
            true,
          ),
      },
      store: { audits: { claim: async () => false, request: async () => undefined } },
      limitedCall: (_method, _channelId, call) => call(),
      spend: () => undefined,
      logger: silentLogger,
      now: () => NOW,
    });
    const target: Target = {
      ...claimed,
      channelId: 'C1',
      subject: { incident_id: 'inc_1' },
      beginAttempt: (attempt) => effect('begin the attempt', () => write({ attempt })),
      endAttempt: async () => {
        await effect('end the attempt', () => write({ attempt: null }));
      },
      forgetMessage: async () => {
        await effect('forget the message', () => write({ ts: null, shownDigest: null, attempt: null, holder: null }));
      },
    };

    /** As the database does: nothing, for one whose lease is another's. */
    function write(fields: Partial<typeof row>): boolean {
      if (row.holder === life) {
        Object.assign(row, fields);
        return true;
      }
      return false;
    }

    async function show(): Promise<void> {
      const ts = await sender.send(target, MESSAGE, content);
      if (ts !== null) {
        await effect('mark it shown', () => {
          const shown = { ts, shownDigest: content, shown: Number(content), attempt: null, holder: null };
          if (!write(shown) && row.ts === ts) {
            Object.assign(row, { shownDigest: null, shown: 0 });
          }
        });
      }
    }
    const release = () => effect('release it', () => write({ holder: null }));
    void show()
      .catch(release)
      .finally(() => {
        bots[index] = null;
      });
  }

  function happens({ isSlack, run, resolve, reject }: Effect, outcome: Outcome): void {
    try {
      const result = !isSlack || outcome.startsWith('works') ? run() : null;
      if (!isSlack || outcome === 'works') {
        resolve(result);
      } else {
        reject(failureOf(outcome));
      }
    } catch (error) {
      reject(error as Error);
    }
  }

  function crash(index: number, isDone: boolean): void {
    const bot = bots[index];
    if (bot === null || bot === undefined) {
      return;
    }
    if (isDone) {
      happens({ ...bot.waitsFor, resolve: () => undefined, reject: () => undefined }, 'works');
    }
    bots[index] = null;
  }

  return {
    row,
    channel,
    async next(event: Happening): Promise<void> {
      if (event.kind === 'claim') {
        claim(event.bot);
      } else if (event.kind === 'effect') {
        const bot = bots[event.bot];
        if (bot !== null && bot !== undefined) {
          happens(bot.waitsFor, event.outcome);
        }
      } else if (event.kind === 'crash') {
        crash(event.bot, event.isDone);
      } else if (event.kind === 'lease runs out') {
        // Whoever is so slow is left behind, but for the instant in which a post is on its way: that the audit heals.
        const isPosting = bots.some((bot) => bot?.life === row.holder && bot.waitsFor.name === 'post');
        row.holder = isPosting ? row.holder : null;
      } else if (event.kind === 'incident changes') {
        row.desired += 1;
      } else {
        for (const [ts, message] of event.kind === 'the app is made anew' ? channel : []) {
          foreign.set(ts, message);
        }
        channel.clear();
      }
      await setImmediate();
    },
  };
}

function failureOf(outcome: Outcome): Error {
  if (outcome === 'is limited') {
    return new WebAPIRateLimitedError(30);
  }
  return outcome === 'is refused' ? refusal('is_archived') : new Error('no answer');
}

function refusal(error: string): Error {
  return new WebAPIPlatformError({ ok: false, error });
}

it('leaves exactly one true card, whatever fails and whoever dies between any two effects', async () => {
  const working: Happening[] = [
    { kind: 'effect', bot: 0, outcome: 'works' },
    { kind: 'effect', bot: 1, outcome: 'works' },
  ];
  const settling: Happening[] = [
    ...Array.from({ length: 6 }, () => working).flat(), // whoever lives ends what it began
    { kind: 'lease runs out' },
    ...Array.from({ length: 12 }, (): Happening[] => [{ kind: 'claim', bot: 0 }, ...working]).flat(),
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 60, size: 'max' }), async (events) => {
      const model = createModel();
      for (const event of events) {
        await model.next(event);
        expect(model.channel.size).toBeLessThanOrEqual(1);
      }

      await model.next({ kind: 'incident changes' });
      for (const event of settling) {
        await model.next(event);
      }

      expect([...model.channel]).toMatchObject([[model.row.ts, { content: String(model.row.desired) }]]);
      expect(model.row).toMatchObject({ shown: model.row.desired, attempt: null, holder: null });
    }),
    { numRuns: 1_000, seed: 20_261_121 },
  );
});
