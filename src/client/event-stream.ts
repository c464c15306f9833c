import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { type EventIncident, IntegrationEvent, PageEvent, SignInRequestedEvent } from '../contract/events.ts';
import { LiberalEventIncident } from './liberal.ts';

/** Limit for one event, in characters; far above any incident without its signals. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** An event of `GET /events`. */
export interface ServiceEvent {
  /** Value for `Last-Event-ID` to continue after this event. */
  readonly id: string;
  readonly type: string;
  /** The incident after the change; null: another kind of event, or an unreadable one. */
  readonly incident: EventIncident | null;
  /** The integration that was disabled or enabled; null: another kind of event, or an unreadable one. */
  readonly integration: IntegrationEvent['integration'] | null;
  /** Who asks for a sign-in link, and when; null: another kind of event, or an unreadable one. */
  readonly signIn: { readonly email: string; readonly returnTo: string; readonly at: Date } | null;
  /** Somebody is to be woken, or it is over; null: another kind of event, or an unreadable one. */
  readonly page: PageEvent | null;
}

const Data = z.object({
  incident: LiberalEventIncident.nullable().catch(null),
  integration: IntegrationEvent.shape.integration.nullable().catch(null),
});

const SignIn = SignInRequestedEvent.transform(({ occurred_at: at, sign_in: { email, return_to: returnTo } }) => ({
  email,
  returnTo,
  at: new Date(at),
}));

const UNREADABLE = { incident: null, integration: null, signIn: null, page: null };

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

function readData(data: string): Omit<ServiceEvent, 'id' | 'type'> {
  try {
    const value: unknown = JSON.parse(data);
    return {
      ...UNREADABLE,
      ...Data.safeParse(value).data,
      signIn: SignIn.safeParse(value).data ?? null,
      page: PageEvent.safeParse(value).data ?? null,
    };
  } catch {
    return UNREADABLE;
  }
}
