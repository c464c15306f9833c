import { describe, expect, it } from 'vitest';
import type { Mute } from '../contract/mute.ts';
import { capitalizedPhrase, type Phrase, phraseText } from './phrase.ts';
import { possibleRoots } from './root.ts';
import {
  activityPhrase,
  impactPhrase,
  muteWord,
  othersPhrase,
  pathPhrase,
  rootPhrase,
  signalCount,
  statePhrase,
} from './words.ts';

const AT = '2026-11-22T10:00:00Z';

function text(words: Phrase): string {
  return phraseText(words, {
    moment: ({ as }) => `<${as}>`,
    person: (name) => `@${name}`,
    service: (name) => `[${name}]`,
  });
}

describe('the state', () => {
  it.each([
    ['Open, not acknowledged', { status: 'open' }],
    ['Open, acknowledged by @ana, <time>', { status: 'open', acknowledged_by: 'ana', acknowledged_at: AT }],
    ['Open, acknowledged', { status: 'open', acknowledged: true }],
    ['Closed by @ben, <time>', { status: 'closed', resolved_by: 'ben', closed_at: AT, acknowledged_by: 'ana' }],
    ['Closed, <time>', { status: 'closed', resolved_by: null, closed_at: AT }],
  ] as const)('is %j', (words, incident) => {
    const { name, detail } = statePhrase(incident);

    expect(name + text(detail)).toBe(words);
  });
});

describe('the activity', () => {
  const since = { activity_since: AT, last_seen_at: AT };

  it.each([
    ['Still failing, last seen <ago>', { status: 'open', activity: 'failing', ...since }],
    [
      'Quiet since <time>: no failures since, but no sign that it works again',
      { status: 'open', activity: 'quiet', ...since },
    ],
    ['Recovered <time>', { status: 'closed', activity: 'recovered', ...since }],
    ['', { status: 'closed', activity: 'failing', ...since }],
    [
      'No end reported yet, last sent <time>',
      { status: 'open', activity: 'quiet', alerts: ['down'], signal_count: 1, signals_ended_at: null, ...since },
    ],
    [
      'No failure measured so far: only people say that it fails',
      { status: 'open', activity: 'quiet', declared_by: 'ana', signal_count: 1, ...since },
    ],
    [
      'No failure measured so far: only people say that it fails',
      { status: 'open', activity: 'quiet', declared_by: 'ana', signal_count: 2, declarations: 2, ...since },
    ],
    ['Recovered <time>', { status: 'open', activity: 'recovered', declared_by: 'ana', signal_count: 2, ...since }],
    ['', { status: 'closed', activity: 'recovered', declared_by: 'ana', signal_count: 1, ...since }],
    ['', { status: 'open' }],
  ] as const)('is %j', (words, incident) => {
    expect(text(capitalizedPhrase(activityPhrase(incident)))).toBe(words);
  });
});

it('tells how a failure reaches people, with the requests that were lost on each call', () => {
  const path = [
    { service: 'payments', requests: 1_208 },
    { service: 'checkout', requests: 1_200 },
    { service: 'web', requests: 1 },
  ];

  expect(text(pathPhrase(path))).toBe('[payments] -> [checkout] (1,200 requests) -> [web] (1 request)');
  expect(pathPhrase(path.slice(0, 1))).toEqual([]);
  expect(pathPhrase()).toEqual([]);
});

it('names two failing calls and counts the rest', () => {
  const impact = ['stock', 'search', 'ads'].map((to) => ({ from: 'web', to, calls: 1_216, failed: 1_208 }));

  expect(text(impactPhrase(impact))).toBe(
    '[web] -> [stock]: 1,208 of 1,216 calls failed within a minute; [web] -> [search]: 1,208 of 1,216 calls failed within a minute; and 1 more call',
  );
  expect(impactPhrase([])).toEqual([]);
});

it('names two possible roots only while the service is unsure', () => {
  const candidates = ['payments', 'inventory', 'web'].map((service) => ({ service, score: 1, reasons: [] }));
  const correlation = { confidence: 0.24, candidates };

  expect(text(rootPhrase('payments', possibleRoots(correlation)))).toBe('unsure: [payments] or [inventory]');
  expect(text(rootPhrase('payments', possibleRoots({ ...correlation, confidence: 0.25 })))).toBe('[payments]');
});

it('names the other services up to a number', () => {
  const incident = { root_service: 'payments', services: ['payments', 'web', 'checkout', 'ads'] };

  expect(text(othersPhrase(incident, 2))).toBe('Also affects [web], [checkout] and 1 more');
  expect(text(othersPhrase({ root_service: 'payments', services: ['payments'] }, 2))).toBe('');
});

it('counts signals by type if the service does', () => {
  expect(signalCount({ signal_count: 1 })).toBe('1 signal');
  expect(
    signalCount({ signal_count: 300, signals_by_type: { trace: 0, metric: 300, log: 0 }, declarations: 299 }),
  ).toBe('300 signals (1 metric, 299 declarations)');
  expect(signalCount({ signal_count: 10, signals_by_type: { trace: 9, metric: 1, log: 0 } })).toBe(
    '10 signals (9 traces, 1 metric)',
  );
});

it('calls the mute of one incident a snooze', () => {
  const words = (['incident', 'service', 'integration'] satisfies Mute['target'][]).map((target) =>
    muteWord({ target }),
  );

  expect(words).toEqual(['Snoozed', 'Muted', 'Muted']);
});
