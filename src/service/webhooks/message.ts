import { TEST_EVENT_TYPE } from '../../contract/events.ts';
import type { Integration } from '../core/integration.ts';
import type { ServiceEvent } from '../core/integration-event.ts';
import { presentPagerDutyEvent, presentPagerDutyTest } from '../core/pagerduty.ts';
import { presentWebhook } from '../core/present.ts';
import type { Receiver } from '../core/receiver.ts';
import type { WebhookMessage } from './webhook-sender.ts';

/** An event in the format of its receiver. */
export function eventMessage(receiver: Receiver, event: ServiceEvent, publicUrl: string): WebhookMessage {
  return receiver.type === 'webhook'
    ? toMessage(receiver, event.id, presentWebhook(event, publicUrl))
    : toMessage(receiver, event.id, presentPagerDutyEvent(event, receiver.routingKey, publicUrl));
}

/** A test that reaches no person. */
export function testMessage(
  receiver: Receiver,
  { id: eventId, at, integration }: { readonly id: string; readonly at: Date; readonly integration: Integration },
): WebhookMessage {
  if (receiver.type === 'pagerduty') {
    return toMessage(receiver, eventId, presentPagerDutyTest(receiver.routingKey));
  }
  const { id, type, name } = integration;
  const event = {
    id: eventId,
    type: TEST_EVENT_TYPE,
    occurred_at: at.toISOString(),
    integration: { id, type, name },
  };
  return toMessage(receiver, eventId, { type: event.type, timestamp: event.occurred_at, data: event });
}

function toMessage(receiver: Receiver, id: string, body: object): WebhookMessage {
  const { url } = receiver;
  const secrets = receiver.type === 'webhook' ? receiver.secrets : [];
  const keys = receiver.type === 'pagerduty' ? [receiver.routingKey] : [];
  return { url, secrets, keys, id, body: JSON.stringify(body) };
}
