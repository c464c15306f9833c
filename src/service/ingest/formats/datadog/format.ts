import { reading, type WebhookFormat } from '../format.ts';
import { DatadogEvent, readDatadogEvent } from './datadog.ts';

export const DATADOG = {
  words: 'Datadog',
  setUp: ({ url, key }) => [
    { title: 'Integrations: Webhooks: URL', text: `${url}?token=${key}` },
    { title: 'Payload', text: DATADOG_PAYLOAD },
  ],
  webhook: {
    operationId: 'sendDatadogEvent',
    what: "an event of Datadog's webhooks",
    ...reading(DatadogEvent, readDatadogEvent),
  },
} satisfies WebhookFormat;

const DATADOG_PAYLOAD = `{
  "id": "$ID",
  "title": "$EVENT_TITLE",
  "body": "$TEXT_ONLY_MSG",
  "date": "$DATE",
  "event_type": "$EVENT_TYPE",
  "transition": "$ALERT_TRANSITION",
  "alert_type": "$ALERT_TYPE",
  "alert_id": "$ALERT_ID",
  "cycle_key": "$ALERT_CYCLE_KEY",
  "aggregation_key": "$AGGREG_KEY",
  "priority": "$ALERT_PRIORITY",
  "tags": "$TAGS",
  "hostname": "$HOSTNAME",
  "scope": "$ALERT_SCOPE",
  "link": "$LINK"
}
`;
