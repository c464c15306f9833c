import { z } from 'zod';
import { PAGE_LIMITS } from '../contract/requests.ts';
import { type RouteName, routes } from '../contract/routes.ts';
import { ContractViolationError, ServiceResponseError } from './errors.ts';
import { type Listed, parseJson, showsOurAdditions, showsUserIds } from './liberal.ts';
import { lengthOf, type PageStart, walkPages } from './paging.ts';
import type { Transport } from './transport.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

export interface Call {
  readonly id?: string;
  /** The second parameter of the path. */
  readonly innerId?: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Calls of the routes, parsed by schemas. Each has the four results of `ServiceClient`. */
export interface Calls {
  /** Whether an answer has shown that the service accepts our additions to the API document. */
  readonly takesOurAdditions: () => boolean;
  /** The same for the ids of people. */
  readonly takesUserIds: () => boolean;
  readonly read: <T>(name: RouteName, schema: z.ZodType<T>, call?: Call) => Promise<T>;
  readonly readTagged: <T>(name: RouteName, schema: z.ZodType<T>, call: Call) => Promise<Tagged<T>>;
  readonly readList: <T>(name: RouteName, schema: z.ZodType<Listed<T>>, call?: Call) => Promise<Listed<T>>;
  /** The API document has no paging here, so more pages are requested only if the service reports them. */
  readonly listAll: <T extends { id: string }>(
    name: RouteName,
    schema: z.ZodType<Listed<T>>,
    call?: Call,
  ) => Promise<T[]>;
  /** The API document leaves the response of a write open, so anything but a web page is accepted. @returns null: unreadable */
  readonly write: <T>(name: RouteName, schema: z.ZodType<T>, call: Call) => Promise<T | null>;
  /** The same for a response with the new state. @returns null: unreadable, or of an earlier request with the same key */
  readonly change: <T>(name: RouteName, schema: z.ZodType<T>, call: Call) => Promise<T | null>;
}

interface Tagged<T> {
  readonly data: T;
  /** null: the service has no entity tags. */
  readonly etag: string | null;
}

/** @param onUnreadable called when a list has unreadable items, which are left out */
export function createCalls(
  transport: Transport,
  onUnreadable: (fault: ContractViolationError) => void = () => undefined,
): Calls {
  let takesOurAdditions = false;
  let takesUserIds = false;

  /** @returns undefined: not JSON */
  function readJson(text: string): unknown {
    try {
      const answer = parseJson(text);
      takesOurAdditions ||= showsOurAdditions(answer);
      takesUserIds ||= showsUserIds(answer);
      return answer;
    } catch {
      return undefined;
    }
  }

  async function read<T>(name: RouteName, schema: z.ZodType<T>, call: Call = {}): Promise<T> {
    return (await readTagged(name, schema, call)).data;
  }

  async function readTagged<T>(name: RouteName, schema: z.ZodType<T>, { id, query = {} }: Call): Promise<Tagged<T>> {
    const { method, path } = routes[name];
    const target = fillPath(path, id) + queryText(query);
    const call = `${method} ${target}`;
    const { text, etag } = await transport.send({ method, path: target });
    const answer = readJson(text);
    if (answer === undefined) {
      throw new ContractViolationError(text.trim() === '' ? 'the response is empty' : 'the response is not JSON', call);
    }
    const parsed = schema.safeParse(answer);
    if (!parsed.success) {
      throw new ContractViolationError(transport.redact(z.prettifyError(parsed.error)), call);
    }
    return { data: parsed.data, etag };
  }

  async function readList<T>(name: RouteName, schema: z.ZodType<Listed<T>>, call: Call = {}): Promise<Listed<T>> {
    const list = await read(name, schema, call);
    const [fault] = list.unreadable;
    if (fault !== undefined) {
      const sentence = `left out ${list.unreadable.length} unreadable items; the first: ${fault}`;
      onUnreadable(new ContractViolationError(transport.redact(sentence), `GET ${routes[name].path}`));
    }
    return list;
  }

  async function sendWrite<T>(
    name: RouteName,
    schema: z.ZodType<T>,
    { id, innerId, body, query = {}, ifMatch, idempotencyKey }: Call,
  ): Promise<{ readonly answer: T | null; readonly isReplayed: boolean }> {
    const { method, path } = routes[name];
    const target = fillPath(path, id, innerId) + queryText(query);
    const { text, isReplayed } = await transport.send({
      method,
      path: target,
      ifMatch,
      idempotencyKey,
      ...(body === undefined ? {} : { body }),
    });
    if (text.trimStart().startsWith('<')) {
      throw new ContractViolationError('the response is a web page, not JSON', `${method} ${target}`);
    }
    return { answer: schema.safeParse(readJson(text)).data ?? null, isReplayed };
  }

  async function listAll<T extends { id: string }>(
    name: RouteName,
    schema: z.ZodType<Listed<T>>,
    { id, query }: Call = {},
  ): Promise<T[]> {
    const pages = walkPages(`GET ${routes[name].path}`, async (start) => {
      const { offset } = start;
      const paging = offset === 0 ? {} : { limit: PAGE_LIMITS.maxLimit, ...startQuery(start) };
      const page = await readList(name, schema, {
        ...(id === undefined ? {} : { id }),
        query: { ...query, ...paging },
      });
      const mayGoOn = page.hasMore === true && offset + lengthOf(page) <= PAGE_LIMITS.maxOffset;
      return { ...page, hasMore: mayGoOn, nextCursor: mayGoOn ? page.nextCursor : null };
    });
    const items: T[] = [];
    for await (const item of pages) {
      items.push(item);
    }
    return items;
  }

  return {
    takesOurAdditions: () => takesOurAdditions,
    takesUserIds: () => takesUserIds,
    read,
    readTagged,
    readList,
    listAll,
    write: async (...call) => (await sendWrite(...call)).answer,
    async change(...call) {
      const { answer, isReplayed } = await sendWrite(...call);
      return isReplayed ? null : answer;
    },
  };
}

/**
 * @throws {ServiceResponseError} 404 for an id that cannot be part of a path, because URLs drop empty segments and dots
 */
function fillPath(path: string, id: string | undefined, innerId = ''): string {
  if (id !== undefined && /^\.{0,2}$/.test(id)) {
    const problem = { title: 'Not Found', status: 404, detail: `nothing has the id "${id}"` };
    throw new ServiceResponseError(404, problem, null, { call: path, effect: 'not-sent', retryable: false });
  }
  return path.replace('{id}', () => encodeURIComponent(id ?? '')).replace(/\{\w+\}/, () => encodeURIComponent(innerId));
}

/** Sends no offset with a cursor: Tocsin's service rejects the combination. */
export function startQuery({ offset, cursor }: PageStart): Query {
  return cursor === null ? { offset } : { cursor };
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(key, String(value));
    }
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
