import { TEST_EVENT_TYPE } from '../../contract/events.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DeliveryAttempt } from '../core/delivery-attempt.ts';
import { createId } from '../core/ids.ts';
import type { WebhookControl } from '../store/webhooks/webhook-control.ts';
import { testMessage } from './message.ts';
import { describeResult } from './plan-batch.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Sends a test event to a webhook, disabled ones included. It does not change the webhook's status. */
export type TestWebhook = (integrationId: string) => Promise<DeliveryAttempt>;

/** One test at a time runs for an endpoint; requests meanwhile get its result too. */
export function createWebhookTest(deps: {
  readonly control: Pick<WebhookControl, 'findTarget' | 'logTest'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
}): TestWebhook {
  const { control, sender, clock } = deps;
  const running = new Map<string, Promise<DeliveryAttempt>>();

  async function run(integrationId: string): Promise<DeliveryAttempt> {
    const { integration, receiver } = await control.findTarget(integrationId);
    const at = clock.now();
    const message = testMessage(receiver, { id: createId('evt', at), at, integration });
    const result = await sender.send(message, new AbortController().signal);
    const attempt: DeliveryAttempt = {
      ...describeResult(result),
      eventId: message.id,
      eventType: TEST_EVENT_TYPE,
      sequence: null,
      attempt: 1,
      nextAttemptAt: null,
    };
    await control.logTest(integrationId, attempt);
    return attempt;
  }

  return (integrationId) => {
    const test = running.get(integrationId) ?? run(integrationId).finally(() => running.delete(integrationId));
    running.set(integrationId, test);
    return test;
  };
}
