import { describe, expect, it } from 'vitest';
import { readByPreset } from '../../../../test/support/read-preset.ts';
import { Mapping } from '../../../contract/integrations.ts';
import type { MappedReading } from '../mapping/mapped-event.ts';
import { describeExpressionFault } from '../mapping/mapping.ts';
import { doubtfulIn } from '../mapping/settle.ts';
import { findPreset, getPreset, PRESETS, type Preset, setUpOf, withDifference } from './presets.ts';

const NOW = new Date('2026-01-31T09:00:00Z');

const named = (presets: readonly Preset[]) => presets.map((preset) => [preset.name, preset] as const);

function readSample({ id, failure }: Preset, difference: unknown) {
  return readByPreset(id, withDifference(failure, difference), NOW);
}

function fingerprintsIn(readings: readonly MappedReading[]): string[] {
  return readings.map((reading) => ('signal' in reading ? reading.signal.fingerprint : 'no failure'));
}

describe.each(named(PRESETS))('the preset of %s', (_name, preset) => {
  it('has expressions without a fault', () => {
    const texts = Object.values(Mapping.parse(preset.mapping));

    expect(texts.flatMap((text) => describeExpressionFault(text ?? '') ?? [])).toEqual([]);
  });

  it('reads a failure, and another as another', () => {
    const [first, second] = [readSample(preset, {}), readSample(preset, preset.another)];

    expect(first).toMatchObject([{ kind: 'fails', signal: { service: expect.not.stringMatching(/^unknown$/) } }]);
    expect(second).toMatchObject([{ kind: 'fails' }]);
    expect(fingerprintsIn(first)).not.toEqual(fingerprintsIn(second));
  });
});

it.each(named(PRESETS.filter(({ end }) => end !== null)))(
  'reads the end of the failure that %s reports',
  (_, preset) => {
    const over = readSample(preset, preset.end);

    expect(over).toMatchObject([{ kind: 'over' }]);
    expect(doubtfulIn(over)).toEqual(fingerprintsIn(readSample(preset, {})));
  },
);

it.each(named(PRESETS.filter(({ acknowledgement }) => acknowledgement !== undefined)))(
  'reads that somebody has acknowledged a failure at %s',
  (_, preset) => {
    const [fingerprint] = fingerprintsIn(readSample(preset, {}));

    expect(readSample(preset, preset.acknowledgement)).toMatchObject([{ kind: 'acknowledged', fingerprint }]);
  },
);

it.each(named(PRESETS.filter(({ note }) => note !== undefined)))(
  'reads a note that somebody wrote at %s',
  (_, preset) => {
    const [fingerprint] = fingerprintsIn(readSample(preset, {}));

    expect(readSample(preset, preset.note)).toMatchObject([{ kind: 'noted', fingerprint, note: expect.any(String) }]);
  },
);

it.each([
  ['opsgenie_webhook', { action: 'AddTags' }],
  ['pagerduty_webhook', { event: { event_type: 'incident.priority_updated' } }],
  ['pagerduty_webhook', { event: { event_type: 'pagey.ping', data: { title: null, message: 'Hello!' } } }],
  ['grafana_oncall', { event: { type: 'resolution note added' } }],
  ['rollbar', { event_name: 'deploy', data: { item: null, deploy: { id: 1 } } }],
  ['netlify', { state: 'enqueued' }],
])('takes an event of %s that neither begins nor ends a failure for nothing: %j', (id, difference) => {
  expect(readSample(getPreset(id), difference)).toEqual([{ kind: 'ignored' }]);
});

it('ends what is deleted at Opsgenie', () => {
  const preset = getPreset('opsgenie_webhook');
  const [fingerprint] = fingerprintsIn(readSample(preset, {}));

  expect(readSample(preset, { action: 'Delete' })).toMatchObject([{ kind: 'over', fingerprint }]);
});

it('reads that a host cannot be reached and can again, as Netdata reports it', () => {
  const host = (reachable: boolean) => ({
    message: `web-1 is ${reachable ? 'reachable' : 'unreachable'}`,
    host: 'web-1',
    severity: reachable ? 'info' : 'critical',
    status: { reachable, text: reachable ? 'reachable' : 'unreachable' },
  });
  const [fails] = readByPreset('netdata', host(false), NOW);
  const [over] = readByPreset('netdata', host(true), NOW);

  expect(fails).toMatchObject({ kind: 'fails', signal: { service: 'web-1', severity: 'critical' } });
  expect(over).toMatchObject({ kind: 'over', fingerprint: fingerprintsIn([fails as MappedReading])[0] });
});

/** Names of the fields that a text makes its product send: of JSON, of forms, of Icinga's lists. */
function fieldsAskedIn(text: string): string[] {
  return [...text.matchAll(/"(\w+)": ?["{]|--data-urlencode(?:"?,)? ["'](\w+)=/g)].map(
    ([, json, form = '']) => json ?? form,
  );
}

it.each(named(PRESETS.filter(({ set_up }) => set_up.some(({ text }) => fieldsAskedIn(text).length > 0))))(
  'asks %s for what its samples have',
  (_, preset) => {
    const asked = new Set(preset.set_up.flatMap(({ text }) => fieldsAskedIn(text)));

    expect([...asked].toSorted()).toEqual(Object.keys(preset.failure).toSorted());
  },
);

it('fills the address and the key into what people paste', () => {
  const [snippet] = setUpOf(getPreset('icinga'), { url: 'https://tocsin.example.com/v1/json', key: 'KEY' });

  expect(snippet?.text).toContain('"Authorization: Bearer KEY"');
  expect(snippet?.text).toContain('"https://tocsin.example.com/v1/json"');
  expect(snippet?.text).not.toContain('<INGEST');
});

it('has many products, each under the name of its file', () => {
  expect(PRESETS.length).toBeGreaterThanOrEqual(60);
  expect(findPreset('checkmk')?.name).toBe('Checkmk');
  expect(findPreset('../presets')).toBeNull();
});

it('changes only what a difference names', () => {
  expect(withDifference({ a: { b: 1, c: 2 }, d: [1] }, { a: { c: 3 }, d: [2] })).toEqual({ a: { b: 1, c: 3 }, d: [2] });
});
