import type { IncomingType } from '../../contract/requests.ts';

/** Where the signals of an integration go, below the public address; see `ingest_url` in the contract. */
export const INGEST_PATHS = {
  otlp: '',
  alertmanager: '/v1/alertmanager',
  pagerduty_events: '/v2/enqueue',
  cloudevents: '/v1/cloudevents',
  generic: '/v1/generic',
} as const satisfies Readonly<Record<IncomingType, string>>;
