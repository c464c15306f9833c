import { expect, it } from 'vitest';
import { activityWords, impactWords as slackImpact } from '../../src/bot/views/activity-words.ts';
import { signalCount, stateWords } from '../../src/bot/views/incident-words.ts';
import { type Incident, newIncident } from '../../src/service/core/incident.ts';
import { presentIncidentSummary } from '../../src/service/core/present.ts';
import { signalWords } from '../../src/service/dashboard/incidents/incident-row.tsx';
import { Activity, impactWords, State } from '../../src/service/dashboard/parts/incident-words.tsx';

const NOW = new Date('2026-11-22T10:00:00Z');
const AT = new Date('2026-11-22T09:40:00Z');

const blank = { ...newIncident(7, 'payments', null, AT), signalCounts: { trace: 9, metric: 3, log: 1 } };

const incidents: Readonly<Record<string, Incident>> = {
  'open and failing': blank,
  'acknowledged and quiet': { ...blank, activity: 'quiet', acknowledgement: { by: 'ana', at: AT } },
  'acknowledged and recovered': { ...blank, activity: 'recovered', acknowledgement: { by: 'ana', at: AT } },
  'closed by a person': { ...blank, closing: { by: 'ana', at: AT, note: 'restarted' } },
  'closed by itself and recovered': { ...blank, activity: 'recovered', closing: { by: null, at: AT, note: '' } },
};

it.each(Object.keys(incidents))('says the same of an incident that is %s as the card in Slack', (kind) => {
  const incident = incidents[kind] ?? blank;
  const wire = presentIncidentSummary(incident, 'http://tocsin.test', NOW);

  expect(wordsOf(State({ incident, now: NOW }))).toBe(
    plain(stateWords({ ...wire, resolved_by: incident.closing?.by })),
  );
  expect(wordsOf(Activity({ incident, now: NOW }) ?? '')).toBe(plain(activityWords(wire)));
  expect(signalWords(incident)).toBe(signalCount(wire));
});

it('says the same of the impact as the card in Slack', () => {
  const impact = ['stock', 'search', 'ads'].map((to) => ({ from: 'web', to, calls: 1_216, failed: 1_208 }));

  expect(`Impact: ${impactWords(impact)}`).toBe(plain(slackImpact({ impact })));
});

/** The text of what a page shows, with T for each time. */
function wordsOf(element: { toString(): string }): string {
  return plain(
    element
      .toString()
      .replaceAll(/<time.*?<\/time>/g, 'T')
      .replaceAll(/<[^>]+>/g, ''),
  );
}

/** Without Slack's markup and signs, and with T for each time. */
function plain(text: string): string {
  return text
    .replaceAll(/<!date[^>]+>/g, 'T')
    .replaceAll(/[*`✅🟡🔴⚪]/gu, '')
    .replaceAll('&gt;', '>')
    .trim();
}
