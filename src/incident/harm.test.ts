import { expect, it } from 'vitest';
import type { Harm } from '../contract/resources.ts';
import { comebackWords, confidenceWords, harmCount, harmPhrase } from './harm.ts';
import { phraseText } from './phrase.ts';

const HARM: Harm = { requests: 412, total: 900, failed: 412, since: '2026-11-22T09:02:00.000Z', per_minute: 61 };

function say(harm: Harm | null): string {
  const same = (name: string) => name;
  return phraseText(harmPhrase(harm), { moment: ({ at }) => at.slice(11, 16), person: same, service: same });
}

it('says what people lost in requests, since when, and how fast', () => {
  expect(say(HARM)).toBe('412 of 900 requests failed since 09:02, now 61 a minute');
  expect(say({ ...HARM, per_minute: 0 })).toBe('412 of 900 requests failed since 09:02');
  expect(say(null)).toBe('');
  expect([harmCount(HARM), harmCount(null)]).toEqual(['412 of 900 requests failed', '']);
});

it('distinguishes slow requests from failed ones', () => {
  expect(say({ ...HARM, failed: 0 })).toContain('412 of 900 requests were slow since');
  expect(say({ ...HARM, failed: 12 })).toContain('12 of 900 requests failed, 400 slow since');
});

it('never names more lost requests than there were', () => {
  expect(say({ ...HARM, total: 400 })).toContain('412 of 412 requests');
});

it('says how often it came back, and how sure the root is in words first', () => {
  expect([comebackWords(0), comebackWords(1), comebackWords(3)]).toEqual(['', 'came back 1 time', 'came back 3 times']);
  const candidates = ['payments', 'web'].map((service) => ({ service, score: 0.5, reasons: [] }));
  const say = (confidence: number) => confidenceWords({ confidence, candidates });
  expect([say(0.93), say(0.5), say(0.3), say(0.1)]).toEqual([
    'very likely (93 % sure)',
    'likely (50 % sure)',
    'possibly (30 % sure)',
    'unsure (10 % sure)',
  ]);
});
