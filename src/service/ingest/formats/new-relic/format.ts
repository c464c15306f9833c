import type { PresetFormat } from '../format.ts';

export const NEW_RELIC = {
  words: 'New Relic',
  setUp: ({ url, key }) => [
    { title: 'Alerts: Destinations: Webhook: endpoint URL; keep the default template', text: `${url}?token=${key}` },
  ],
  preset: { operationId: 'sendNewRelicIssue', what: 'an issue of New Relic' },
} satisfies PresetFormat;
