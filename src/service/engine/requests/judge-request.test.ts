import { expect, it } from 'vitest';
import { spanItem, traceBuilder } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { learnCallee } from './callees.ts';
import { chargeMoments } from './critical-path.ts';
import { judgeRequest } from './judge-request.ts';
import { buildTrees, type SpanNode, walk } from './request-tree.ts';
import { createUsualTimes, learnTimes } from './usual-times.ts';

interface Calls {
  readonly cache: Partial<SpanItem>;
  readonly database: Partial<SpanItem>;
}

it('says of a lost request also which other failures its caller got over', () => {
  const isFailed = true;

  const marks = marksOf({ isFailed }, { cache: { isFailed }, database: { isFailed } });

  expect(marks).toEqual({ orders: 'well', cache: 'tolerated', database: 'harmed' });
});

it('says nothing of a place that a caller tried twice in vain', () => {
  const isFailed = true;

  const marks = marksOf({ isFailed }, { cache: {}, database: { isFailed } }, { peer: 'database', isFailed });

  expect(marks).toEqual({ orders: 'well', cache: 'well', database: 'harmed' });
});

it('blames a database by its name, although a span that lost its parent was hung below a call to it once', () => {
  const usual = createUsualTimes();
  const learn = (request: SpanNode) => {
    for (const node of walk(request)) {
      learnCallee(usual, node);
    }
  };
  for (let index = 0; index < 20; index += 1) {
    learn(requestOf({}, { cache: {}, database: {} }));
  }
  const strayed = requestOf({}, { cache: {}, database: {} });
  const database = strayed.children.find(({ span }) => span.peer === 'database');
  const { traceId, spanId } = database?.span ?? spanItem();
  const stray = spanItem({ traceId, parentSpanId: spanId, service: 'mail', at: 17, durationMs: 2 });
  database?.children.push({ ...strayed, span: stray, startMs: 15, parent: database, children: [], isEntry: false });
  learn(strayed);
  const isFailed = true;

  const { blame } = judgeRequest(usual, requestOf({ isFailed }, { cache: {}, database: { isFailed } }));

  expect(blame).toMatchObject({ place: 'database', kind: 'silent' });
});

it('blames a database by its name, although spans that lost their parents are below calls to it that hang', () => {
  const usual = createUsualTimes();
  for (let index = 0; index < 60; index += 1) {
    const isHanging = index >= 40;
    const request = requestOf(
      { at: isHanging ? 9_000 : 20 },
      { cache: {}, database: isHanging ? { at: 8_000, durationMs: 7_990 } : {} },
    );
    const database = request.children.find(({ span }) => span.peer === 'database');
    if (isHanging && database !== undefined) {
      const { traceId } = database.span;
      const stray = spanItem({ traceId, parentSpanId: 'lost', service: 'mail', at: 4_000, durationMs: 2 });
      database.children.push({
        ...request,
        span: stray,
        startMs: 3_998,
        parent: database,
        children: [],
        isEntry: false,
        isAdopted: true,
      });
    }
    chargeMoments(usual, request);
    for (const node of walk(request)) {
      learnCallee(usual, node);
      if (!isHanging) {
        learnTimes(usual, node);
      }
    }
  }
  const isFailed = true;

  const { blame } = judgeRequest(usual, requestOf({ isFailed }, { cache: {}, database: { isFailed } }));

  expect(blame).toMatchObject({ place: 'database', kind: 'silent' });
});

it('blames a service that tells no roles for its own failure, not a callee that answered it well', () => {
  const { traceId } = spanItem();
  const role = 'unknown';
  const web = spanItem({ traceId, service: 'web', at: 40, durationMs: 40, role, isFailed: true });
  const search = spanItem({ traceId, service: 'search', at: 30, durationMs: 20, role, parentSpanId: web.spanId });
  const [entry] = buildTrees([web, search].map((span) => ({ span, sender: 'key' })));

  const marks = entry === undefined ? [] : judgeRequest(createUsualTimes(), entry).marks;

  const harmed = marks.find(({ mark }) => mark === 'harmed');
  expect(harmed).toMatchObject({ place: 'web', blame: { kind: 'error' } });
});

it.each([
  { what: 'a failed call, before it tried again', first: { isFailed: true, at: 9 }, place: 'database' },
  { what: 'a call that went well, before the next', first: { at: 9 }, place: 'orders' },
  { what: 'nothing', first: null, place: 'orders' },
])('blames $place for a pause after $what', ({ first, place }) => {
  const usual = createUsualTimes();
  for (let index = 0; index < 50; index += 1) {
    const request = requestOf({}, { cache: {}, database: {} });
    chargeMoments(usual, request);
    for (const node of walk(request)) {
      learnTimes(usual, node);
    }
  }

  const slow = requestOf({ at: 500, durationMs: 500 }, { cache: {}, database: { at: 490 } }, first);
  chargeMoments(usual, slow);

  expect(judgeRequest(usual, slow).blame).toMatchObject({ place });
});

it('compares a call with calls, although what it is part of has the same name', () => {
  const operation = 'GET';
  const usual = createUsualTimes();
  const request = (databaseMs: number) => {
    const of = requestOf(
      { operation, at: 400 + databaseMs, durationMs: 400 + databaseMs },
      { cache: { operation }, database: { operation, at: 300 + databaseMs, durationMs: databaseMs } },
    );
    chargeMoments(usual, of);
    return of;
  };
  for (let index = 0; index < 50; index += 1) {
    for (const node of walk(request(5 + (index % 3)))) {
      learnTimes(usual, node);
    }
  }

  const { marks } = judgeRequest(usual, request(190));

  expect(marks).toContainEqual(expect.objectContaining({ place: 'database', mark: 'slow' }));
});

it('takes no callee for slow that took no longer than usual, when its caller gave up too soon', () => {
  const usual = createUsualTimes();
  const request = (databaseMs: number, waitMs: number, isFailed: boolean) => {
    const spans: SpanItem[] = [];
    const add = traceBuilder(spans, 0);
    const entry = add(null, { service: 'orders', durationMs: 40, isFailed });
    const call = { service: 'orders', role: 'client', peer: 'stock', durationMs: waitMs, isFailed } as const;
    const answer = add(add(entry, call), { service: 'stock', durationMs: 28 });
    add(answer, { service: 'stock', role: 'client', peer: 'database', durationMs: databaseMs });
    const node = entryOf(spans);
    chargeMoments(usual, node);
    return node;
  };
  for (let index = 0; index < 50; index += 1) {
    for (const node of walk(request(10 + (index % 5), 30, false))) {
      learnTimes(usual, node);
    }
  }

  expect(judgeRequest(usual, request(18, 20, true)).blame).toMatchObject({ place: 'stock', kind: 'way' });
});

/** Marks of a request to `orders`, which calls a cache and then a database, after usual ones. */
function marksOf(entry: Partial<SpanItem>, calls: Calls, first: Partial<SpanItem> | null = null) {
  const usual = createUsualTimes();
  for (let index = 0; index < 50; index += 1) {
    const request = requestOf({}, { cache: {}, database: {} });
    chargeMoments(usual, request);
    for (const node of [request, ...request.children]) {
      learnTimes(usual, node);
    }
  }
  const request = requestOf(entry, calls, first);
  chargeMoments(usual, request);
  const { marks } = judgeRequest(usual, request);
  return Object.fromEntries(marks.map(({ place, mark }) => [place, mark]));
}

function requestOf(
  values: Partial<SpanItem>,
  { cache, database }: Calls,
  first: Partial<SpanItem> | null = null,
): SpanNode {
  const { traceId } = spanItem();
  const entry = spanItem({ traceId, service: 'orders', at: 20, durationMs: 20, ...values });
  const call = (peer: string, at: number, about: Partial<SpanItem>) =>
    spanItem({
      traceId,
      service: 'orders',
      role: 'client',
      operation: peer,
      peer,
      at,
      parentSpanId: entry.spanId,
      ...about,
    });
  const all = [entry, call('cache', 8, cache), call('database', 18, database)];
  const spans = first === null ? all : [...all, call('database', 12, first)];
  return entryOf(spans);
}

function entryOf(spans: readonly SpanItem[]): SpanNode {
  const [node] = buildTrees(spans.map((span) => ({ span, sender: 'key' })));
  if (node === undefined) {
    throw new Error('no entry');
  }
  return node;
}
