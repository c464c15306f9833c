import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { IntegrationEvent } from '../contract/events.ts';
import type { IncidentSummary } from '../contract/resources.ts';
import { LiberalIncidentSummary } from './liberal.ts';

/** Limit for one event, in characters; far above any incident without its signals. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** An event of `GET /events`. */
export interface ServiceEvent {
  /** Value for `Last-Event-ID` to continue after this event. */
  readonly id: string;
  readonly type: string;
  /** The incident after the change; null: another kind of event, or an unreadable one. */
  readonly incident: IncidentSummary | null;
  /** The integration that was disabled or enabled; null: another kind of event, or an unreadable one. */
  readonly integration: IntegrationEvent['integration'] | null;
}

const Data = z.object({
  incident: LiberalIncidentSummary.nullable().catch(null),
  integration: IntegrationEvent.shape.integration.nullable().catch(null),
});

const UNREADABLE = { incident: null, integration: null };

/** @param body of a `text/event-stream` (HTML Standard, 9.2) */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServiceEvent, void> {
  const messages = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_LENGTH }));
  let id = '';
  for await (const message of messages) {
    id = message.id ?? id;
    yield { id, type: message.event ?? 'message', ...readData(message.data) };
  }
}

function readData(data: string): Pick<ServiceEvent, 'incident' | 'integration'> {
  try {
    return Data.safeParse(JSON.parse(data)).data ?? UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}
