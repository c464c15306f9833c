import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../test/support/runs.ts';
import { mergeSnapshot } from '../bot/incident/snapshot.ts';
import { incidentCard } from '../bot/rooms/card/incident-card.ts';
import { incidentReport } from '../bot/rooms/export/incident-report.ts';
import { homeTab } from '../bot/rooms/home/home-view.ts';
import { incidentDetails } from '../bot/rooms/lists/incident-details.ts';
import { closedList, incidentList } from '../bot/rooms/lists/incident-list.ts';
import { unfurlIncident } from '../bot/rooms/unfurl/unfurl-view.ts';
import { Incident } from '../contract/resources.ts';
import { addMinutes } from '../runtime/dates.ts';
import { type IncidentRecord, newIncident } from '../service/core/incident.ts';
import { acknowledge, resolve } from '../service/core/incident-changes.ts';
import { presentIncident } from '../service/core/present.ts';
import { evidenceOf } from '../service/dashboard/incident/evidence-of.ts';
import { Facts, Head } from '../service/dashboard/incident/head.tsx';
import { incidentText } from '../service/dashboard/incident/incident-text.ts';
import type { IncidentView } from '../service/dashboard/incident/incident-view.ts';
import { IncidentRow } from '../service/dashboard/incidents/incident-row.tsx';
import { harmCount } from './harm.ts';
import { plural } from './phrase.ts';
import { signalCount, typeCounts } from './words.ts';

const OPENED_AT = new Date('2026-01-31T08:00:00.000Z');
const NOW = addMinutes(OPENED_AT, 14);
const PUBLIC_URL = 'https://tocsin.example.com';

/** What the service has stored of an incident: how much failed, who has it, whether it is over. */
const stored = fc
  .record({
    failed: fc.nat(5_000),
    slow: fc.nat(5_000),
    others: fc.nat(5_000),
    per_minute: fc.nat(500),
    signals: fc.record({ trace: fc.integer({ min: 1, max: 900 }), metric: fc.nat(90), log: fc.nat(9_000) }),
    activity: fc.constantFrom('failing' as const, 'quiet' as const, 'recovered' as const),
    isTaken: fc.boolean(),
    isClosed: fc.boolean(),
    recurrences: fc.nat(3),
  })
  .filter(({ failed, slow }) => failed + slow > 0)
  .map(({ failed, slow, others, per_minute, signals, activity, isTaken, isClosed, recurrences }): IncidentRecord => {
    const incident = newIncident(7, 'payments', null, OPENED_AT);
    const requests = failed + slow;
    const harm = { requests, total: requests + others, failed, since: OPENED_AT.toISOString(), per_minute };
    const opened: IncidentRecord = {
      ...incident,
      title: 'payments: POST /charge fails (no merchant account for currency EUR)',
      services: ['payments', 'checkout'],
      signalCounts: signals,
      correlation: { ...incident.correlation, confidence: 0.9, harm },
      activity,
      recurrences,
      timeline: [{ at: OPENED_AT, event: 'opened', by: null, text: null }],
    };
    const taken = isTaken ? acknowledge(opened, { by: 'cleo' }, addMinutes(OPENED_AT, 3)) : opened;
    return isClosed ? resolve(taken, 'rolled back', { by: 'dora' }, addMinutes(OPENED_AT, 9)) : taken;
  });

function textOf(html: unknown): string {
  return String(html)
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
}

/** What people read of a stored incident, wherever it is shown. The bot knows only what the API answers. */
function everyView(record: IncidentRecord) {
  const wire = Incident.parse(presentIncident(record, PUBLIC_URL, NOW));
  const shown = mergeSnapshot(null, wire);
  const list = { incidents: [shown], offset: 0, total: 1, hasMore: false, asOf: NOW };
  const isOpen = wire.status === 'open';
  const nobody = { incidents: [], total: 0 };
  const one = { incidents: [shown], total: 1 };
  const view = {
    incident: record,
    now: NOW,
    related: new Map(),
    evidence: evidenceOf([], []),
    similar: [],
    cards: [],
    traceUrl: () => null,
  } as unknown as IncidentView; // what is not here, these parts do not read
  return {
    wire,
    rows: {
      card: incidentCard({ incident: shown }).text,
      list: isOpen ? incidentList(list).text : closedList(list).text,
      Show: incidentDetails({ incident: { ...wire, ...shown } }).text,
      link: unfurlIncident(shown, NOW).fallback,
      ...(isOpen && {
        Home: JSON.stringify(
          homeTab({
            mine: one,
            untaken: nobody,
            muted: nobody,
            openTotal: 1,
            rules: [],
            onCall: [],
            staleSince: null,
            asOf: NOW,
          }).blocks,
        ),
      }),
      'list of the dashboard': textOf(IncidentRow({ incident: record, now: NOW, mayAct: false })),
      page: textOf(Head({ view, isChanged: false })),
      Markdown: incidentText(view, PUBLIC_URL).replaceAll('\\', ''),
      export: incidentReport(wire, [], NOW).replaceAll('\\', ''),
    },
    facts: textOf(Facts({ view, isChanged: false })),
  };
}

it('says the same on card, list, Show, link, Home, page and in export, Markdown and the API', () => {
  fc.assert(
    fc.property(stored, (record) => {
      const { wire, rows, facts } = everyView(record);
      const { harm } = record.correlation;
      const lost = harmCount(harm);

      const said = Object.entries(rows).map(([place, text]) => ({
        place,
        lost: text.includes(lost),
        error: text.includes('POST /charge fails (no merchant account for currency EUR)'),
        owner: text.includes(record.closing?.by ?? record.acknowledgement?.by ?? 'payments'),
      }));

      const all = Object.keys(rows).map((place) => ({ place, lost: true, error: true, owner: true }));
      expect(lost).toContain(harm?.failed === 0 ? 'slow' : `${harm?.failed.toLocaleString('en')} of`);
      expect(said).toEqual(all);
      expect([harmCount(wire.harm), harmCount(wire.correlation?.harm)]).toEqual([lost, lost]);
      const { trace, metric, log } = record.signalCounts;
      expect(wire.signal_count).toBe(trace + metric + log);
      for (const text of [rows.card, rows.Show]) {
        expect(text).toContain(plural(wire.signal_count, 'signal'));
      }
      for (const text of [rows.export, rows.Markdown]) {
        expect(text).toContain(signalCount(wire));
      }
      expect(facts).toContain(typeCounts(wire));
    }),
    { numRuns: runs(200) },
  );
});
