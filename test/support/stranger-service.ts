import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AddedChange, AddedDeclaration, AddedMute, AddedNote } from './stranger-additions.ts';
import type { AddedWrite } from './stranger-conditions.ts';
import {
  createStrangerOperations,
  type NewIncident,
  type NewSignal,
  type RecordedRequest,
} from './stranger-operations.ts';
import type { Answer, ShapeName, StrangerIncident, StrangerIntegration } from './stranger-shapes.ts';

/**
 * `drop before`: closes the connection without doing the work. `drop after`: does the work, then closes the connection.
 * `until`: delays the work. `dropUntil`: closes the connection, and does the work later, as a slow network does.
 */
export type Fault =
  | 'hang'
  | 'drop before'
  | 'drop after'
  | { readonly until: Promise<unknown> }
  | { readonly dropUntil: Promise<unknown> }
  | Answer;

/**
 * An in-memory incident service of a third party. It follows the API document alone, has no additions, and rejects query
 * parameters and body fields that the document does not name. What the document leaves open differs by shape:
 *
 * | | plain | odd |
 * |---|---|---|
 * | ids | text | numbers |
 * | times | RFC 3339 | Unix milliseconds |
 * | order of incidents, largest page | newest first, 100 | oldest first, 20 |
 * | other lists | envelope named like the documented one | bare array, `{data: […]}` |
 * | single items | bare | wrapped |
 * | a signal's type, service, incident | `type`, name, `incident_id` | `kind`, `{name}`, `correlation_id` |
 * | responses to writes | 204, empty | JSON without the incident |
 * | acknowledging or resolving a closed incident | does nothing | 409 |
 * | errors | plain text | `{error: {message}}` |
 *
 * Neither shows acknowledgements, unless it has Tocsin's additions. With them, it honours idempotency keys and `If-Match`.
 */
export interface StrangerService extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Every request, oldest first, including rejected and failed ones. */
  readonly requests: readonly RecordedRequest[];
  readonly integrations: readonly StrangerIntegration[];
  /** @returns the incident's id as clients see it */
  openIncident(incident: NewIncident): string;
  /** @param incidentId null: signals without an incident. @returns their ids */
  addSignals(incidentId: string | null, signals: readonly NewSignal[]): string[];
  incident(id: string): StrangerIncident;
  /** In the order in which they were opened. */
  incidentIds(): readonly string[];
  /** With additions: all that people did, and the incidents that somebody opened again. */
  readonly declarations: readonly AddedDeclaration[];
  readonly changes: readonly AddedChange[];
  readonly mutes: readonly AddedMute[];
  readonly notes: readonly AddedNote[];
  readonly writes: readonly AddedWrite[];
  /** With additions: idempotency keys and `If-Match` mean nothing from now on. */
  forgetConditions(): void;
  readonly reopened: ReadonlySet<string>;
  /** Changes the root service. */
  moveRoot(id: string, service: string): void;
  /** Closes an incident as if by another client. */
  closeIncident(id: string): void;
  /** Resets an incident to open and not acknowledged. */
  reopenIncident(id: string): void;
  /** Hides an incident from all responses, like a replica that lags behind. */
  hideIncident(id: string, isHidden: boolean): void;
  /** Adds fields to the incidents of the plain shape. */
  showMore(fieldsOf: (incident: StrangerIncident) => object): void;
  signalCount(incidentId: string): number;
  /** Starts every list at another position, so that the pages of one walk are inconsistent. */
  shufflePages(isOn: boolean): void;
  /** Closes every connection as soon as it is made. */
  setAway(isAway: boolean): void;
  /** Makes the next matching request fail. Each fault is used once, in order. */
  failNext(fault: Fault, match?: { readonly method?: string; readonly path?: RegExp; readonly limit?: string }): void;
}

interface PlannedFault {
  readonly fault: Fault;
  readonly matches: (request: RecordedRequest) => boolean;
}

export async function startStrangerService(options: {
  readonly shape: ShapeName;
  /** The clock of Tocsin's additions to the plain shape. Default: there are none. */
  readonly additionsNow?: () => Date;
}): Promise<StrangerService> {
  const apiKey = `stranger-${randomBytes(16).toString('hex')}`;
  const { answer, integrations, ...handles } = createStrangerOperations(
    options.shape,
    apiKey,
    options.additionsNow ?? null,
  );
  const requests: RecordedRequest[] = [];
  const faults: PlannedFault[] = [];
  let away = false;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    requests.push(request);
    const index = faults.findIndex(({ matches }) => matches(request));
    const fault = index < 0 ? undefined : faults.splice(index, 1)[0]?.fault;
    if (fault === 'hang') {
      return;
    }
    if (fault === 'drop before') {
      response.destroy();
      return;
    }
    if (typeof fault === 'object' && 'dropUntil' in fault) {
      response.destroy();
      await fault.dropUntil;
      answer(request);
      return;
    }
    if (typeof fault === 'object' && 'until' in fault) {
      await fault.until;
    }
    const isAnswer = typeof fault === 'object' && 'status' in fault;
    const { status, contentType, headers, body } = isAnswer ? fault : answer(request);
    if (fault === 'drop after') {
      response.destroy();
      return;
    }
    response.writeHead(status, { ...headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) });
    response.end(body);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.on('connection', (socket: Socket) => {
    if (away) {
      socket.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey,
    requests,
    get integrations() {
      return integrations();
    },
    ...handles,
    setAway(isAway) {
      away = isAway;
      if (away) {
        server.closeAllConnections();
      }
    },
    failNext(fault, { method, path, limit } = {}) {
      const matches = (request: RecordedRequest) =>
        (method === undefined || request.method === method) &&
        (path === undefined || path.test(request.path)) &&
        (limit === undefined || request.query.limit === limit);
      faults.push({ fault, matches });
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<RecordedRequest> {
  const url = new URL(incoming.url ?? '/', 'http://stranger');
  const body = await text(incoming);
  return {
    method: incoming.method ?? '',
    path: url.pathname.startsWith('/v1/') ? url.pathname.slice('/v1'.length) : `..${url.pathname}`,
    query: Object.fromEntries(url.searchParams),
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
    headers: incoming.headers,
  };
}
