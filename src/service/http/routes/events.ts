import { EventsQuery } from '../../../contract/events.ts';
import type { EventStreams } from '../../events/event-streams.ts';
import type { EventStore } from '../../store/event-store.ts';
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
}

/**
 * `GET /events`. Without `Last-Event-ID` the stream starts with new events.
 *
 * @param isAllowed whether the caller's key still works
 * @throws {RequestError} when the last event that the caller saw is unknown or expired
 */
export async function openEvents(
  request: Request,
  { events, eventStreams }: EventRouteDeps,
  isAllowed: () => Promise<boolean>,
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
  return new Response(request.method === 'HEAD' ? null : eventStreams.open(after, isAllowed), { headers: HEADERS });
}

function readSequence(text: string): bigint | null {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}
