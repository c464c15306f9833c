import type { Logger } from 'pino';
import type { ReadinessCheck } from '../../../contract/health.ts';
import type { AnswerState } from '../../http/state-answers.ts';
import type { MappingRunner } from '../../ingest/mapping/mapping-runner.ts';
import type { AskedStateStore } from '../../store/integrations/asked-state-store.ts';
import type { IntegrationStore } from '../../store/integrations/integration-store.ts';
import type { RefusedPayloadStore } from '../../store/integrations/refused-payload-store.ts';
import type { ApiKeyStore } from '../../store/keys/api-key-store.ts';
import type { ServiceStore } from '../../store/service-store.ts';
import type { DeliveryLog } from '../../store/webhooks/delivery-log.ts';
import type { WebhookControl } from '../../store/webhooks/webhook-control.ts';
import type { TestWebhook } from '../../webhooks/send-test-event.ts';

export interface IntegrationsDeps {
  readonly integrations: IntegrationStore;
  readonly refusedPayloads: RefusedPayloadStore;
  readonly askedStates: AskedStateStore;
  readonly answerState: AnswerState;
  readonly deliveries: DeliveryLog;
  readonly webhookControl: WebhookControl;
  readonly testWebhook: TestWebhook;
  readonly keys: ApiKeyStore;
  readonly services: Pick<ServiceStore, 'listSystems'>;
  readonly readiness: () => Promise<ReadinessCheck[]>;
  readonly mappings: MappingRunner;
  readonly allowPrivateAddresses: boolean;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
}
