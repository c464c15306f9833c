import type { Hono } from 'hono';
import { INGEST_PATHS } from '../../../contract/integrations.ts';
import { findAmazonUrl, SnsMessage } from '../../ingest/formats/sns/sns.ts';
import { readNotification } from '../../ingest/formats/sns/sns-notification.ts';
import { INGEST_LIMITS } from '../../ingest/limits.ts';
import { NOTHING } from '../../ingest/vendor-values.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import { decodeJson, receiveJson } from '../ingest-body.ts';
import { acceptReceived, admitSender, type IngestGates, type IngestRouteDeps } from '../ingest-gates.ts';
import { RequestError } from '../problem.ts';
import { answerDone } from '../unkept-notes.ts';
import { invalidBody } from '../validate.ts';

const RETRY = { 'retry-after': '30' };

/** SNS sends JSON as text. */
const JSON_HEADERS = new Headers({ 'content-type': 'application/json' });

/** Messages of Amazon SNS: alarms of CloudWatch, and others. Nothing is done before the signature was verified. */
export function bindSns(api: Hono<ApiEnv>, deps: IngestRouteDeps, gates: IngestGates): void {
  const path = INGEST_PATHS.sns;
  api.on('POST', [path], ...admitSender(deps, gates), async (c) => {
    const limits = { sender: c.get('key').id, maxBytes: INGEST_LIMITS.eventsBytes };
    const message = await receiveJson(deps.bodies, c.req.raw, limits, decodeJson(SnsMessage, JSON_HEADERS));
    await deps.verifySns(message, deps.now());
    if (message.Type === 'SubscriptionConfirmation') {
      await confirm(message, deps);
    }
    const batch = message.Type === 'Notification' ? readNotification(message, deps.now()) : NOTHING;
    await acceptReceived(c, batch, deps.accept);
    return answerDone(c);
  });
  refuseOtherMethods(api, path, ['POST']);
}

/** @throws {RequestError} */
async function confirm(
  { SubscribeURL, TopicArn }: SnsMessage,
  { getFromAmazon, logger }: IngestRouteDeps,
): Promise<void> {
  const url = findAmazonUrl(SubscribeURL);
  if (url === null) {
    throw invalidBody([{ pointer: '/SubscribeURL', detail: 'is not an address of Amazon SNS' }]);
  }
  try {
    await getFromAmazon(url);
  } catch (err) {
    logger.warn({ err, topic: TopicArn }, 'a subscription of Amazon SNS could not be confirmed');
    throw new RequestError('overloaded', 'the subscription cannot be confirmed now', { headers: RETRY });
  }
  logger.info({ topic: TopicArn }, 'subscription of Amazon SNS confirmed');
}
