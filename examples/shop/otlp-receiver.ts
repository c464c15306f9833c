import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { PbfReader } from 'pbf';

/** An OTLP/HTTP receiver for the shop's tests. It decodes what the real exporters send. */

interface ReceivedSpan {
  readonly service: string;
  readonly instance: string;
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** `exception.type` of each recorded exception. */
  readonly exceptions: readonly string[];
}

interface ReceivedLog {
  readonly service: string;
  readonly severity: string;
  readonly body: string;
  readonly traceId: string;
}

interface ReceivedMetric {
  readonly service: string;
  readonly name: string;
  readonly unit: string;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly metrics: readonly ReceivedMetric[];
  /** Relevant headers of the requests: `Bearer key application/x-protobuf gzip`. */
  readonly senders: ReadonlySet<string>;
  /** Sets the response to further requests. */
  answerWith(status: number): void;
  /** Resolves once the condition holds. Checks after each batch. */
  until(holds: () => boolean): Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const logs: ReceivedLog[] = [];
  const metrics: ReceivedMetric[] = [];
  const senders = new Set<string>();
  const batches = new EventEmitter();
  let status = 200;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, 'content-type': type, 'content-encoding': encoding } = request.headers;
    const raw = await buffer(request);
    if (type === 'application/x-protobuf' && status === 200) {
      senders.add(`${authorization} ${type} ${encoding}`);
      const message = new Message(encoding === 'gzip' ? gunzipSync(raw) : raw);
      spans.push(...readSpans(message, request.url));
      logs.push(...readLogs(message, request.url));
      metrics.push(...readMetrics(message, request.url));
    }
    response.writeHead(status).end();
    batches.emit('batch');
  }

  const server = createServer((request, response) => {
    void take(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    logs,
    metrics,
    senders,
    answerWith(next) {
      status = next;
    },
    async until(holds) {
      const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
      while (!holds()) {
        await once(batches, 'batch', { signal });
      }
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}

function readFixed64(reader: PbfReader): number | null {
  return reader.type === 1 ? reader.readFixed64() : null;
}

/** A decoded protobuf message by field number, as in opentelemetry-proto 1.x. */
class Message {
  readonly #fields = new Map<number, (Uint8Array | number)[]>();

  constructor(bytes: Uint8Array) {
    new PbfReader(bytes).readFields((tag, fields, reader) => {
      const value =
        reader.type === 2 ? reader.readBytes() : reader.type === 0 ? reader.readVarint() : readFixed64(reader);
      if (value !== null) {
        fields.set(tag, [...(fields.get(tag) ?? []), value]);
      }
    }, this.#fields);
  }

  messages(...path: readonly number[]): Message[] {
    return path.reduce<Message[]>((found, tag) => found.flatMap((each) => each.#bytes(tag)), [this]);
  }

  text(tag: number): string {
    return new TextDecoder().decode(this.#raw(tag));
  }

  hex(tag: number): string {
    return Buffer.from(this.#raw(tag)).toString('hex');
  }

  number(tag: number): number {
    return Number(this.#fields.get(tag)?.[0] ?? 0);
  }

  /** Strings and integers of a list of key-value pairs. */
  attributes(tag: number): Record<string, string | number> {
    return Object.fromEntries(
      this.messages(tag).flatMap((pair) =>
        pair.messages(2).map((value) => [pair.text(1), value.text(1) || value.number(3)]),
      ),
    );
  }

  #raw(tag: number): Uint8Array {
    const value = this.#fields.get(tag)?.[0];
    return value instanceof Uint8Array ? value : new Uint8Array();
  }

  #bytes(tag: number): Message[] {
    return (this.#fields.get(tag) ?? []).map((value) => new Message(value instanceof Uint8Array ? value : Buffer.of()));
  }
}

/** The items at `path` of each resource, with the name of its service and instance. */
function readItems(request: Message, path: readonly number[]): { service: string; instance: string; item: Message }[] {
  return request.messages(1).flatMap((perResource) => {
    const resource = perResource.messages(1)[0]?.attributes(1) ?? {};
    const service = String(resource['service.name']);
    const instance = String(resource['service.instance.id']);
    return perResource.messages(...path).map((item) => ({ service, instance, item }));
  });
}

function readSpans(request: Message, url: string | undefined): ReceivedSpan[] {
  return (url === '/v1/traces' ? readItems(request, [2, 2]) : []).map(({ service, instance, item }) => ({
    service,
    instance,
    name: item.text(5),
    kind: item.number(6) === 2 ? 'server' : 'client',
    traceId: item.hex(1),
    spanId: item.hex(2),
    parentSpanId: item.hex(4),
    // Nanoseconds lose their last digits in a Number, which does not matter here.
    durationMs: (item.number(8) - item.number(7)) / 1e6,
    isError: item.messages(15)[0]?.number(3) === 2,
    attributes: item.attributes(9),
    exceptions: item.messages(11).map((event) => String(event.attributes(3)['exception.type'])),
  }));
}

function readLogs(request: Message, url: string | undefined): ReceivedLog[] {
  return (url === '/v1/logs' ? readItems(request, [2, 2]) : []).map(({ service, item }) => ({
    service,
    severity: item.text(3),
    body: item.messages(5)[0]?.text(1) ?? '',
    traceId: item.hex(9),
  }));
}

function readMetrics(request: Message, url: string | undefined): ReceivedMetric[] {
  return (url === '/v1/metrics' ? readItems(request, [2, 2]) : []).map(({ service, item }) => ({
    service,
    name: item.text(1),
    unit: item.text(3),
  }));
}
