import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { WayKind } from '../../contract/waking.ts';
import { WAKING_LIMITS } from '../../contract/waking.ts';
import { InvalidWayError, NotFoundError, TooManyTestsError, TooManyWaysError } from '../core/errors.ts';
import { hearEffect, unreportedEffect } from '../store/pages/page-effects.ts';
import type { StoredWay, WayStore } from '../store/pages/way-store.ts';
import { beginTest, countTests, endTest, type LastTest, readLastTests } from '../store/pages/way-tests.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { hostOf } from './waking/host.ts';
import { codeMessage } from './waking/message.ts';
import { COSTLY } from './ways/budget.ts';
import { type Way, WayError } from './ways/way.ts';
import type { Ways } from './ways/ways.ts';
import type { WriteMessage } from './write-message.ts';

/** Tests and codes that a person gets in an hour. */
const MOST_TESTS = 10;

export interface GivenWay {
  readonly personId: string;
  readonly kind: WayKind;
  /** As a person typed it, or their browser gave it. */
  readonly address: string;
  readonly loudAfterS: number | null;
  readonly quietAfterS: number | null;
}

/** A way, and what people see of its address. */
export interface ShownWay extends StoredWay {
  /** For its owner and admins. */
  readonly shown: string;
  /** For everybody else. */
  readonly masked: string;
  readonly provedBy: Way['provedBy'];
  /** null: it was not tested in the last weeks. */
  readonly lastTest: LastTest | null;
}

export interface SentTest {
  readonly way: ShownWay;
  /** Why nothing was sent; null: it was. What a bot sends is told later, see `lastTest`. */
  readonly fault: string | null;
}

/** What people do with their ways. */
export interface WayControl {
  /** What keeps a way from being used; null: nothing. */
  missing(kind: WayKind): string | null;
  listOf(personId: string): Promise<ShownWay[]>;
  /** @throws {NotFoundError} */
  get(id: string): Promise<ShownWay>;
  /** Adds a way and sends what proves it: a code, or a test. @throws {InvalidWayError} {TooManyWaysError} {TooManyTestsError} */
  add(given: GivenWay): Promise<SentTest & { readonly secret: string | null }>;
  /** @throws {NotFoundError} */
  remove(id: string): Promise<void>;
  /** Sends a test that asks for an answer. @throws {NotFoundError} {TooManyTestsError} */
  test(id: string): Promise<SentTest>;
  /** @returns false: it is another code, or it was tried too often or too late */
  verify(id: string, code: string): Promise<boolean>;
}

export function createWayControl(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly store: WayStore;
  readonly ways: Ways;
  readonly write: WriteMessage;
  readonly publicUrl: string;
  readonly logger: Logger;
  readonly now: () => Date;
}): WayControl {
  const { db, store, ways, write, now, logger } = deps;

  function show(way: StoredWay, lastTest: LastTest | null): ShownWay {
    const kind = ways[way.kind];
    const { success, data } = kind.address.safeParse(way.address);
    const shown = success ? kind.describe(data) : 'unknown';
    const masked = success ? (kind.mask?.(data) ?? shown) : shown;
    return { ...way, provedBy: kind.provedBy, shown, masked, lastTest };
  }

  async function showAll(stored: readonly StoredWay[]): Promise<ShownWay[]> {
    const tests = await readLastTests(
      db,
      stored.map(({ id }) => id),
    );
    return stored.map((way) => show(way, tests.get(way.id) ?? null));
  }

  async function get(id: string): Promise<ShownWay> {
    const way = await store.find(id);
    const [shown] = await showAll(way === null ? [] : [way]);
    if (shown === undefined) {
      throw new NotFoundError('way', id);
    }
    return shown;
  }

  async function send(way: StoredWay, isProof: boolean): Promise<SentTest> {
    if ((await countTests(db, way.personId)) >= MOST_TESTS) {
      throw new TooManyTestsError(MOST_TESTS);
    }
    const sends = ways[way.kind];
    const id = await beginTest(db, way, COSTLY.includes(way.kind), now());
    const message = await messageOf(way, id, isProof && sends.provedBy === 'code');
    const { fault, reference } = await sends.call(sends.address.parse(way.address), message).then(
      (accepted) => ({ fault: null, reference: accepted }),
      (error: unknown) => {
        if (!(error instanceof WayError)) {
          throw error;
        }
        logger.info({ wayId: way.id, kind: way.kind, err: error }, 'the test of a way failed');
        return { fault: error, reference: null };
      },
    );
    const { reportedWithinMs } = sends;
    const isReported = fault === null && reportedWithinMs !== undefined;
    const isHeard = reference !== null && message.answerUrl !== null && sends.hear !== undefined;
    await endTest(db, id, {
      state: fault !== null ? 'failed' : isReported ? 'sending' : 'accepted',
      fault: fault?.message ?? null,
      isGone: fault?.failure === 'gone',
      reference,
      follow: [
        ...(isHeard ? [hearEffect({ id, kind: way.kind, host: hostOf(way.address) })] : []),
        ...(isReported ? [unreportedEffect({ id }, reportedWithinMs)] : []),
      ],
    });
    if (fault === null && sends.provedBy === 'delivery') {
      await store.markVerified(way.id, now());
    }
    return { way: await get(way.id), fault: fault?.message ?? null };
  }

  async function messageOf(way: StoredWay, id: string, isCode: boolean) {
    if (!isCode) {
      return write.test({ id, personId: way.personId });
    }
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    await store.keepCode(way.id, code);
    return codeMessage(code, { id, tag: id, url: `${deps.publicUrl}/dashboard/settings/ways` });
  }

  return {
    missing: (kind) => ways[kind].missing,
    get,
    listOf: async (personId) => showAll(await store.listOf(personId)),

    async add({ address: text, ...given }) {
      const address = ways[given.kind].address.safeParse(text);
      if (!address.success) {
        throw new InvalidWayError(given.kind, reasonOf(address.error.issues));
      }
      if ((await store.listOf(given.personId)).length >= WAKING_LIMITS.waysOfPerson) {
        throw new TooManyWaysError(WAKING_LIMITS.waysOfPerson);
      }
      const way = await store.add({ ...given, address: address.data }, now());
      const { secret } = address.data as { readonly secret?: unknown };
      return { ...(await send(way, true)), secret: typeof secret === 'string' ? secret : null };
    },

    async remove(id) {
      if (!(await store.remove(id))) {
        throw new NotFoundError('way', id);
      }
    },

    test: async (id) => send(await get(id), false),

    async verify(id, code) {
      await get(id);
      return store.verify(id, code, now());
    },
  };
}

/** What a way says of an address; null: nothing. */
function reasonOf(issues: readonly z.core.$ZodIssue[]): string | null {
  for (const issue of issues) {
    const reason = issue.code === 'invalid_union' ? reasonOf(issue.errors.flat()) : issue.message;
    if (issue.code === 'custom' || (issue.code === 'invalid_union' && reason !== null)) {
      return reason;
    }
  }
  return null;
}
