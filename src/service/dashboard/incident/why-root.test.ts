import { expect, it } from 'vitest';
import { newIncident } from '../../core/incident.ts';
import { whyRoot } from './answers.tsx';
import { evidenceOf, type Message } from './evidence-of.ts';
import { rootAnswer } from './why.tsx';

const INCIDENT = newIncident(7, 'payments', null, new Date(0));
const REASON = 'payments: 40 of 60 requests failed here';

function why(messages: readonly Partial<Message>[], failed = 40, byHand = {}) {
  const harm = { requests: 40, total: 60, failed, since: new Date(0).toISOString(), per_minute: 9 };
  const correlation = { ...INCIDENT.correlation, evidence: [REASON], harm };
  const all = messages.map((message) => ({
    text: '',
    service: '',
    times: 1,
    isMeasured: false,
    others: [],
    isPast: false,
    full: '',
    signalId: '',
    ...message,
  }));
  return whyRoot({ rootService: 'payments', correlation, byHand }, { ...evidenceOf([], ['payments']), messages: all });
}

it('is what the root says, not what others say more often', () => {
  const messages = [
    { service: 'web', text: 'payments answered 500', times: 99 },
    { service: 'payments', text: 'no merchant account' },
  ];

  expect(why(messages)).toBe('no merchant account');
});

it('is the first reason if the root says nothing, or is slow', () => {
  expect(why([{ service: 'web', text: 'payments answered 500' }])).toBe(REASON);
  expect(why([{ service: 'payments', text: 'POST /charge takes 64 ms' }], 0)).toBe(REASON);
  expect(why([{ service: 'payments', text: 'statement canceled', isPast: true }])).toBe(REASON);
});

it('says of a root that somebody set that it was set, and how sure the found one is', () => {
  const byHand = { rootService: 'checkout' };
  const correlation = { ...INCIDENT.correlation, confidence: 0.94 };
  const incident = { ...INCIDENT, rootService: 'checkout', correlation };

  expect(rootAnswer({ ...incident, byHand, found: { rootService: 'payments' } })).toBe(
    'Set by hand: it began in checkout. Found: payments, very likely (94 % sure).',
  );
  expect(rootAnswer({ ...incident, byHand: {}, found: {} })).toBe('Very likely (94 % sure): it began in checkout.');
  expect(why([], 40, byHand)).toBeUndefined(); // the reasons are those of the found one
});

it('gives no number for a root that one signal names', () => {
  const signalCounts = { trace: 0, metric: 1, log: 0 };
  const incident = { ...INCIDENT, signalCounts, correlation: { ...INCIDENT.correlation, confidence: 0.48 } };

  expect(rootAnswer(incident)).toBe('By its only signal: it began in payments.');
  expect(rootAnswer({ ...incident, declaredBy: 'ana' })).toBe('As declared: it began in payments.');
});
