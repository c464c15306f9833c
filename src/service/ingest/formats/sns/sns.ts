import { z } from 'zod';
import { Text } from '../../vendor-values.ts';

/** A message of Amazon SNS over HTTP (docs.aws.amazon.com, "Parsing Amazon SNS message formats"). */
export const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().min(1),
  TopicArn: z.string().min(1),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().nullish(),
  Token: Text,
  SubscribeURL: Text,
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.base64(),
  SigningCertURL: z.url(),
});
export type SnsMessage = z.infer<typeof SnsMessage>;

/** Amazon's hosts of SNS, in its regions, in China and for Europe's own cloud. */
const SNS_HOST = /^sns\.[a-z0-9-]+\.(amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu)$/;

/** @returns null: the address is not Amazon's, and must not be followed */
export function findAmazonUrl(text: string): URL | null {
  const url = URL.parse(text);
  const isPlain = url?.port === '' && url.username === '' && url.password === '';
  return url?.protocol === 'https:' && isPlain && SNS_HOST.test(url.hostname) ? url : null;
}

/** The text that is signed: names and values of these fields, one per line ("Verifying the signatures of messages"). */
export function signedText(message: SnsMessage): string {
  const { Type, MessageId, TopicArn, Message, Timestamp, Subject, Token, SubscribeURL } = message;
  const fields =
    Type === 'Notification'
      ? { Message, MessageId, ...(typeof Subject === 'string' ? { Subject } : {}), Timestamp, TopicArn, Type }
      : { Message, MessageId, SubscribeURL, Timestamp, Token, TopicArn, Type };
  return Object.entries(fields)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');
}
