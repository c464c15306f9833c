import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeliveryEvent, deliveryEvent, SETTLING } from '../../../test/support/delivery-events.ts';
import { createDeliveryModel, type Posted, type Subject } from '../../../test/support/delivery-model.ts';
import { runs } from '../../../test/support/runs.ts';
import { NOTHING_STORED, type Rendered } from './kind.ts';

const RUNS = { numRuns: runs(1_000), seed: 20_261_121 };
const events = fc.array(deliveryEvent, { maxLength: 60, size: 'max' });
const STORED = { shownAs: { subjectField: 'incident_id' }, data: NOTHING_STORED };
const CHANGE: DeliveryEvent = { kind: 'subject changes' };

/** A number that the message shows, as a card shows the latest state of its incident. A state may return. */
function createState() {
  let latest = 0;
  const subject: Subject = {
    change() {
      latest = (latest + 1) % 3;
    },
    tellOtherwise: () => false,
    kind: {
      lifecycle: 'kept true',
      ...STORED,
      shortestRetryMs: 0,
      render: async () => ({ content: { text: String(latest), blocks: [] } }),
    },
  };
  return { subject, latest: () => String(latest) };
}

/** Things to tell, each exactly once, at most two in one message. A repeated attempt says what it said before. */
function createNews() {
  let count = 0;
  const told = new Set<number>();
  const toldOtherwise = new Set<number>();
  const untold = () => Array.from({ length: count }, (_, index) => index + 1).filter((each) => !told.has(each));
  const subject: Subject = {
    change() {
      count += 1;
    },
    tellOtherwise() {
      const [first] = untold();
      if (first !== undefined) {
        told.add(first);
        toldOtherwise.add(first);
      }
      return untold().length === 0;
    },
    kind: {
      lifecycle: 'sent once',
      ...STORED,
      shortestRetryMs: 0,
      async render({ attempt, attemptData }: { attempt: unknown; attemptData: unknown }): Promise<Rendered | null> {
        const all = untold();
        const before = attempt === null ? all : (attemptData as readonly number[]);
        const news = all.filter((each) => before.includes(each)).slice(0, 2);
        return news.length === 0
          ? null
          : {
              content: { text: JSON.stringify(news), blocks: [] },
              attemptData: news as never, // numbers are enough here
              hasMore: news.length < all.length,
              also: () => async () => {
                for (const each of news) {
                  told.add(each);
                }
              },
            };
      },
    },
  };
  return { subject, untold, toldOtherwise, all: () => Array.from({ length: count }, (_, index) => index + 1) };
}

describe.each(['card', 'storm'] as const)('a %s', (name) => {
  it('exists exactly once and shows the latest state, whatever fails and whenever a bot crashes', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (happening) => {
        const { subject, latest } = createState();
        const model = createDeliveryModel(name, subject);
        for (const event of happening) {
          await model.next(event);
          expect(model.place.size).toBeLessThanOrEqual(1);
        }

        for (const event of [CHANGE, ...SETTLING]) {
          await model.next(event);
        }

        expect([...model.place]).toMatchObject([[model.row()?.ts, { content: latest() }]]);
        expect(model.row()).toMatchObject({ needsRedraw: false, attempt: null, lease: null });
      }),
      RUNS,
    );
  });
});

describe.each(['reply', 'answer', 'reminder', 'alert'] as const)('a %s', (name) => {
  it('reports each change exactly once, whatever fails and whenever a bot crashes', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (happening) => {
        const { subject, untold, toldOtherwise, all } = createNews();
        const model = createDeliveryModel(name, subject);
        const newsOf = (posts: readonly Posted[]) => posts.flatMap(({ content }) => JSON.parse(content) as number[]);
        /** What people deleted before a bot could know of it may come again. */
        const expectNothingTwice = () => {
          const news = newsOf(model.posts.filter((post) => !model.unseen.has(post)));
          expect(news).toEqual([...new Set(news)]);
        };
        for (const event of happening) {
          await model.next(event);
          expectNothingTwice();
        }

        for (const event of [CHANGE, ...SETTLING]) {
          await model.next(event);
        }

        expectNothingTwice();
        const news = newsOf(model.posts);
        expect(all().filter((each) => !news.includes(each) && !toldOtherwise.has(each))).toEqual([]);
        expect(untold()).toEqual([]);
        expect(model.row()).toBeNull();
      }),
      RUNS,
    );
  });
});
