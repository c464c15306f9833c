import type { Hono } from 'hono';
import { PUSH_PATHS } from '../../../contract/push.ts';
import { senderOf } from '../../core/api-key.ts';
import { type Decoded, MalformedMessageError } from '../../ingest/decoded.ts';
import { PUSH_FORMATS, type PushType } from '../../ingest/formats/formats.ts';
import { readable, readRecords } from '../../ingest/formats/otlp/otlp-request.ts';
import { unkeptOf } from '../../ingest/formats/otlp/otlp-response.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { type PushDecoder, RefusedPushError } from '../../ingest/push/push-format.ts';
import { type ReadTelemetry, readMetrics } from '../../ingest/read-telemetry.ts';
import { UnreadableBodyError } from '../../ingest/request-body.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { receiveJson } from '../ingest-body.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { RequestError } from '../problem.ts';
import { noteUnkept } from '../unkept-notes.ts';

/** Formats in which shippers push logs and metrics. */
export function bindPushes(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  for (const [type, format] of Object.entries(PUSH_FORMATS)) {
    const path = PUSH_PATHS[type as PushType]; // what Object.entries gives
    for (const { address, answer } of format.greetings ?? []) {
      api.get(path + address, () => answer());
    }
    for (const address of format.addresses) {
      const own = path + address;
      api.on(['POST', 'PUT'], [own, `${own}/`], ...admitSender(deps, gates), async (c) => {
        const request = c.req.raw;
        const decoder = decoderFor(() =>
          format.decoderFor({ headers: request.headers, path: c.req.path, now: deps.now() }),
        );
        const isGzip = isGzipped(request.headers);
        const limits = { sender: senderOf(c.get('key')), maxBytes: INGEST_LIMITS.otlpBytes, isGzip };
        const { batch, decoded } = await receiveJson(deps.bodies, request, limits, (body) =>
          read(decoder, body, deps.now()),
        ).catch((error: unknown) => {
          throw toRequestError(error);
        });
        noteUnkept(c, unkeptOf(decoder.kind, decoded));
        if (decoded.items.length === 0 && decoded.rejected > 0) {
          const [reason] = unkeptOf(decoder.kind, decoded);
          throw new RequestError('invalid-body', `nothing in it can be used: ${reason?.reason}`);
        }
        await acceptReceived(c, batch, deps.accept);
        c.set('items', decoded.items.length + decoded.rejected + decoded.tooLarge);
        return decoder.answer();
      });
      refuseOtherMethods(api, own, ['POST', 'PUT']);
    }
  }
}

/** @throws {RequestError} */
function decoderFor(find: () => PushDecoder): PushDecoder {
  try {
    return find();
  } catch (error) {
    throw toRequestError(error);
  }
}

function* read(
  decoder: PushDecoder,
  body: Uint8Array,
  now: Date,
): Generator<void, { readonly batch: ReadTelemetry; readonly decoded: Decoded<unknown> }> {
  if (decoder.kind === 'metrics') {
    const decoded = yield* readable(decoder.decode(body));
    return { batch: readMetrics(decoded.items), decoded };
  }
  const decoded = yield* readable(decoder.decode(body));
  return { batch: yield* readRecords(decoded.items, now), decoded };
}

/** @throws {RequestError} */
function isGzipped(headers: Headers): boolean {
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (!['gzip', 'identity', 'snappy'].includes(encoding)) {
    throw new RequestError('unsupported-media-type', 'the content encoding must be gzip or identity');
  }
  return encoding === 'gzip'; // Prometheus and Loki name the Snappy block that is their format
}

function toRequestError(error: unknown): unknown {
  if (error instanceof RefusedPushError) {
    return new RequestError('unsupported-media-type', error.message);
  }
  return error instanceof MalformedMessageError || error instanceof UnreadableBodyError
    ? new RequestError('invalid-body', `the body is malformed: ${error.message}`)
    : error;
}
