import { hexSignature } from '../../signature-scheme.ts';
import { reading, type WebhookFormat } from '../format.ts';
import { readSentryHook, SentryHook } from './sentry.ts';

export const SENTRY = {
  words: 'Sentry',
  setUp: ({ url, key }) => [
    { title: 'Custom integrations: Internal integration: webhook URL', text: `${url}?token=${key}` },
  ],
  webhook: {
    operationId: 'sendSentryHook',
    what: "a webhook of Sentry's integration platform",
    ...reading(SentryHook, readSentryHook),
    signature: hexSignature('sentry-hook-signature'),
  },
} satisfies WebhookFormat;
