import type { PresetFormat } from '../format.ts';

export const UPTIME_KUMA = {
  words: 'Uptime Kuma',
  setUp: ({ url, key }) => [
    { title: 'Notifications: Webhook, request body application/json: post URL', text: `${url}?token=${key}` },
  ],
  preset: { operationId: 'sendUptimeKumaEvent', what: 'a notification of Uptime Kuma' },
} satisfies PresetFormat;
