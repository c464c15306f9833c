import { EventsQuery } from '../../../contract/events.ts';
import { presentEvent } from '../../core/present.ts';
import { isForBots, type StreamEvent } from '../../core/sign-in-request.ts';
import type { EventStreams } from '../../events/event-streams.ts';
import type { EventStore } from '../../store/events/event-store.ts';
import { RequestError } from '../problem.ts';
import { parseQuery } from '../validate.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no', // nginx would buffer events
};

export interface EventRouteDeps {
  readonly events: EventStore;
  readonly eventStreams: EventStreams;
  readonly publicUrl: string;
}

/**
 * `GET /events`. Without `Last-Event-ID` the stream starts with new events.
 *
 * @param caller its key, and whether it may see what is for bots
 * @throws {RequestError} when the last event that the caller saw is unknown or expired
 */
export async function openEvents(
  request: Request,
  { events, eventStreams, publicUrl }: EventRouteDeps,
  caller: { readonly reader: string; readonly isBot: boolean },
): Promise<Response> {
  const query = parseQuery(EventsQuery, request.url);
  const lastEventId = request.headers.get('last-event-id') ?? query.last_event_id ?? '';
  const { oldest, last } = await events.findBounds();
  const after = lastEventId === '' ? last : readSequence(lastEventId);
  if (after === null || after < oldest || after > last) {
    throw new RequestError(
      'event-gone',
      'this event is unknown or expired: list the incidents, then continue without Last-Event-ID',
    );
  }
  const render = (batch: readonly StreamEvent[]) =>
    join(batch.filter((event) => caller.isBot || !isForBots(event)).map((event) => renderOnce(event, publicUrl)));
  const body = request.method === 'HEAD' ? null : eventStreams.open(after, caller.reader, render);
  return new Response(body, { headers: HEADERS });
}

/** Rendered events. All streams that are up to date share the same bytes. */
const rendered = new WeakMap<StreamEvent, Uint8Array>();

function renderOnce(event: StreamEvent, publicUrl: string): Uint8Array {
  const known = rendered.get(event);
  if (known !== undefined) {
    return known;
  }
  const bytes = Buffer.from(renderEvent(event, publicUrl));
  rendered.set(event, bytes);
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

function renderEvent(event: StreamEvent, publicUrl: string): string {
  const data = JSON.stringify(presentEvent(event, publicUrl));
  return `id: ${event.sequence}\nevent: ${event.type}\ndata: ${data}\n\n`;
}

function readSequence(text: string): bigint | null {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}
