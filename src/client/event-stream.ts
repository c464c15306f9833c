import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import type { IncidentSummary } from '../contract/resources.ts';
import { LiberalIncidentSummary } from './liberal.ts';

/** One event in characters; far above any incident without its signals. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** A change that the service tells of by itself, on `GET /events`. */
export interface ServiceEvent {
  /** Where to go on after this one. */
  readonly id: string;
  readonly type: string;
  /** Right after the change; null: the event tells of something else, or in words of another service. */
  readonly incident: IncidentSummary | null;
}

const Data = z.object({ incident: LiberalIncidentSummary });

/** @param body of a `text/event-stream` (HTML Standard, 9.2) */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServiceEvent, void> {
  const messages = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_LENGTH }));
  let id = '';
  for await (const message of messages) {
    id = message.id ?? id;
    yield { id, type: message.event ?? 'message', incident: readIncident(message.data) };
  }
}

function readIncident(data: string): IncidentSummary | null {
  try {
    return Data.safeParse(JSON.parse(data)).data?.incident ?? null;
  } catch {
    return null;
  }
}
