import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { WORDS } from '../features.ts';
import { NO_FILTER } from '../incident/incident-filter.ts';
import { parseIncidentsCommand, quoteKnownNames } from './parse-command.ts';

const DAY_MS = 86_400_000;

describe('what follows /incidents', () => {
  it.each([
    ['', { word: 'open' }],
    [' open ', { word: 'open' }],
    ['LIST', { word: 'open' }],
    [
      'open service:payments severity:Critical unacked',
      {
        word: 'open',
        filter: { ...NO_FILTER, service: 'payments', severity: 'critical', isAcknowledged: false },
      },
    ],
    ['closed 7d acked', { word: 'closed', filter: { ...NO_FILTER, periodMs: 7 * DAY_MS, isAcknowledged: true } }],
    ['help', { word: 'help' }],
    ['help ack', { word: 'help', text: 'ack' }],
    ['show #142', { word: 'show', references: ['#142'] }],
    ['ack', { word: 'ack' }],
    ['acknowledge inc_1', { word: 'ack', references: ['inc_1'] }],
    ['ack 6 7, #8 payments', { word: 'ack', references: ['6', '7', '#8', 'payments'] }],
    ['ack 6 #6 06', { word: 'ack', references: ['#6', '06'] }],
    ['resolve 7', { word: 'resolve', references: ['7'] }],
    ['resolve 7   ', { word: 'resolve', references: ['7'] }],
    [
      'resolve #7  rolled  back\n& "done"  ',
      {
        word: 'resolve',
        references: ['#7'],
        text: 'rolled  back\n& "done"  ',
      },
    ],
    ['resolve #7, #8 rolled back', { word: 'resolve', references: ['#7', '#8'], text: 'rolled back' }],
    ['resolve 7,8 rolled back', { word: 'resolve', references: ['7', '8'], text: 'rolled back' }],
    ['resolve #7, 3 pods restarted', { word: 'resolve', references: ['#7'], text: '3 pods restarted' }],
    ['resolve #7 #8 was the cause', { word: 'resolve', references: ['#7'], text: '#8 was the cause' }],
    ['stats 7d payments', { word: 'stats', filter: { ...NO_FILTER, periodMs: 7 * DAY_MS, service: 'payments' } }],
    ['export audit 2w', { word: 'export', references: ['audit'], filter: { ...NO_FILTER, periodMs: 14 * DAY_MS } }],
    ['ack "Größe Shop", “my api”', { word: 'ack', references: ['Größe Shop', 'my api'] }],
    ['resolve "Größe Shop" restarted', { word: 'resolve', references: ['Größe Shop'], text: 'restarted' }],
    [
      'snooze service:"Größe Shop" 2h upgrade',
      { word: 'snooze', references: ['service:Größe Shop'], text: '2h upgrade' },
    ],
    [
      'open service:"Größe Shop" acked',
      { word: 'open', filter: { ...NO_FILTER, service: 'Größe Shop', isAcknowledged: true } },
    ],
    [
      'open team:payments TEAM:"the others" env:prod',
      { word: 'open', filter: { ...NO_FILTER, labels: ['team:payments', 'team:the others', 'env:prod'] } },
    ],
    [
      'subscribe team:payments severity:critical',
      { word: 'subscribe', filter: { ...NO_FILTER, severity: 'critical', labels: ['team:payments'] } },
    ],
    ['snooze #7 tomorrow', { word: 'snooze', references: ['#7'], text: 'tomorrow' }],
  ])('%j is understood', (text, command) => {
    const empty = { references: [], text: null, filter: NO_FILTER };

    expect(parseIncidentsCommand(text, WORDS)).toEqual({ kind: 'command', ...empty, ...command });
  });

  it.each([
    ['opne', 'opne', 'open'],
    ['rezolve 7', 'rezolve', 'resolve'],
    ['subscirbe', 'subscirbe', 'subscribe'],
    ['constructor', 'constructor', null],
    ['#142', '#142', null],
  ])('%j is unknown, with the closest word', (text, typed, suggestion) => {
    expect(parseIncidentsCommand(text, WORDS)).toEqual({ kind: 'unknown', typed, suggestion });
  });

  it.each([
    ['open payments', /“payments” is not understood here\. Allowed/],
    ['open unakced', /Did you mean unacked\?/],
    ['unsubscribe foo', /Nothing may follow/],
    ['open severity:bad', /no severity “bad”: it is one of critical, error, warning, info/],
    ['open tema:payments', /“tema:payments” is not understood here\. Allowed: .*team:<name>, env:<name>/],
    ['open service:', /“service:” is not understood/],
    ['open acked unacked', /second filter of its kind/],
    ['closed 0d', /must be from 1h to 365d/],
    ['closed 99w', /must be from 1h to 365d/],
    ['show 6 7', /“7” is not understood here\. Nothing may follow/],
    ['health now', /Nothing may follow/],
    [`ack ${Array.from({ length: 21 }, (_, index) => index).join(' ')}`, /At most 20 incidents at once; there are 21/],
  ])('%j is refused with what is allowed', (text, fault) => {
    const parsed = parseIncidentsCommand(text, WORDS);

    expect(parsed).toMatchObject({ kind: 'wrong', fault: expect.stringMatching(fault) });
  });

  it('is understood for the example of every word', () => {
    for (const [word, { example }] of Object.entries(WORDS)) {
      expect(parseIncidentsCommand(`${word} ${example}`, WORDS)).toMatchObject({ kind: 'command', word });
    }
  });
});

describe('the words of all rooms', () => {
  it('are the table in the docs', async () => {
    const page = await readFile(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\/incidents [^`]*)` +\| (.*?) +\|$/gm)];

    const expected = Object.entries(WORDS).map(([word, { usage, help }]) => [
      `/incidents ${word} ${usage}`.trim(),
      help,
    ]);
    expect(rows.map(([, usage, help]) => [usage, help])).toEqual(expected);
  });

  it('are the usage hint of the manifest', async () => {
    const manifest = parse(await readFile(new URL('../../../manifest.yml', import.meta.url), 'utf8'));

    expect(manifest.features.slash_commands[0].usage_hint).toBe(Object.keys(WORDS).join(' | '));
  });
});

describe('the name of a service with spaces', () => {
  it.each([
    ['ack größe shop', 'ack "größe shop"'],
    ['resolve Größe Shop restarted it', 'resolve "Größe Shop" restarted it'],
    ['snooze service:Größe Shop 2h', 'snooze service:"Größe Shop" 2h'],
    ['ack "Größe Shop"', 'ack "Größe Shop"'],
    ['ack Größe Shopping', 'ack Größe Shopping'],
    ['ack 🦊 den (eu)', 'ack "🦊 den (eu)"'],
  ])('in %j is one name: %j', (text, quoted) => {
    expect(quoteKnownNames(text, ['payments', 'Größe Shop', '🦊 den (eu)'])).toBe(quoted);
  });
});
