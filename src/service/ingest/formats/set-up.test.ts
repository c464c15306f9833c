import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { IncomingType } from '../../../contract/integrations.ts';
import { SIGNING_VENDORS } from '../../../contract/vendors.ts';
import { getPreset } from '../presets/presets.ts';
import { ArgoCdNotification } from './argo-cd/argo-cd.ts';
import { DatadogEvent } from './datadog/datadog.ts';
import { FORMATS, WEBHOOK_FORMATS } from './formats.ts';

function snippet(type: IncomingType, index: number): string {
  const [publicUrl, url] = ['https://tocsin.example.com', 'https://tocsin.example.com/v1/x'];
  return FORMATS[type].setUp({ publicUrl, url, key: 'KEY' })[index]?.text ?? '';
}

/** The ConfigMap's entries, each YAML of its own. */
function argoCd(): Record<string, string> {
  return parse(snippet('argo_cd', 0)).data;
}

it.each([
  ['Datadog', Object.keys(JSON.parse(snippet('datadog', 1))), DatadogEvent.out],
  ['Zabbix', snippet('zabbix', 0).match(/^\w+/gm) ?? [], { shape: getPreset('zabbix').failure }],
  [
    'Argo CD',
    [...(argoCd()['template.tocsin'] ?? '').matchAll(/^ *"(\w+)":/gm)].map(([, name]) => name),
    ArgoCdNotification,
  ],
])('asks %s for the fields that are read', (_name, asked, { shape }) => {
  expect(asked.toSorted()).toEqual(Object.keys(shape).toSorted());
});

it('subscribes all applications of Argo CD to failures and to what ends them', () => {
  const { subscriptions = '', 'trigger.tocsin': trigger = '' } = argoCd();
  const conditions: { when: string }[] = parse(trigger);
  const when = conditions.map((condition) => condition.when).join('\n');

  expect(parse(subscriptions)).toEqual([{ recipients: ['tocsin'], triggers: ['tocsin'] }]);
  for (const state of ['Succeeded', 'Failed', 'Error', 'Degraded', 'Healthy']) {
    expect(when).toContain(`'${state}'`);
  }
});

it('says what Zabbix needs to send the end of a problem', () => {
  expect(snippet('zabbix', 2)).toBe('{EVENT.NAME}');
  expect(snippet('zabbix', 3)).toBe('Notify all involved');
});

it('survives an application of Argo CD that was never synchronised', () => {
  const { 'template.tocsin': template = '', 'trigger.tocsin': trigger = '' } = argoCd();

  // A field of an absent object stops a template of Go.
  expect(template).not.toMatch(/operationState\.|syncResult\./);
  for (const { when } of parse(trigger)) {
    expect(when).toMatch(/^app\.status\.(health|operationState != nil)/);
  }
});

it('names in the API who signs with a secret of the user', () => {
  const signing = Object.entries(WEBHOOK_FORMATS).flatMap(([type, { webhook }]) => (webhook.signature ? [type] : []));

  expect(signing.toSorted()).toEqual([...SIGNING_VENDORS].toSorted());
});
