import type { IncomingFormat } from '../format.ts';

export const SNS = {
  words: 'Amazon SNS and CloudWatch',
  setUp: ({ url, key }) => [
    { title: 'Topic: create a subscription, protocol HTTPS, endpoint', text: `${url}?token=${key}` },
  ],
} satisfies IncomingFormat;
