import { describe, expect, it } from 'vitest';
import { outcomeAnswer } from '../../../test/support/outcome-answers.ts';
import { EMPTY_DRAFT, type ResolveForm, resolveModal } from '../rooms/act/resolve-modal.ts';
import { incidentCard } from '../rooms/card/incident-card.ts';
import { incidentDetails } from '../rooms/lists/incident-details.ts';
import { incidentList } from '../rooms/lists/incident-list.ts';
import { stormList } from '../rooms/storm/storm-list.ts';
import type { Snapshot } from './snapshot.ts';

const NOW = new Date('2026-01-31T08:20:00.000Z');
const OPENED_AT = '2026-01-31T08:00:00.000Z';
const SEEN_AT = '2026-01-31T08:05:00.000Z';
const AGO = '<!date^1769846700^{ago}|2026-01-31 08:05 UTC>';
const OPENED_AGO = '<!date^1769846400^{ago}|2026-01-31 08:00 UTC>';
const TIME = '<!date^1769846700^{date_short_pretty} {time}|2026-01-31 08:05 UTC>';

function incident(fields: Partial<Snapshot> = {}): Snapshot {
  return { id: 'inc_1', status: 'open', signal_count: 3, root_service: 'payments', opened_at: OPENED_AT, ...fields };
}

/** The lines of the card's text. */
function linesOf(fields: Partial<Snapshot>, related: readonly Snapshot[] = []): string[] {
  return incidentCard({ incident: incident(fields), related }).text.split('\n');
}

function buttonsOf(fields: Partial<Snapshot>): string {
  return JSON.stringify(incidentCard({ incident: incident(fields) }).blocks.at(-1));
}

describe('the activity', () => {
  const failing = { activity: 'failing', last_seen_at: SEEN_AT } as const;
  const quiet = { activity: 'quiet', activity_since: SEEN_AT } as const;
  const recovered = { activity: 'recovered', activity_since: SEEN_AT } as const;

  it.each([
    [failing, 'Still failing'],
    [quiet, `Quiet since ${TIME}`],
    [recovered, `Recovered ${TIME}`],
  ])('follows the state on the card: %o', (fields, line) => {
    const { blocks } = incidentCard({ incident: incident(fields) });

    expect(Object(blocks[0]).text.text.split('\n')).toEqual([
      '*inc_1 payments*',
      expect.stringMatching(/^🔴 \*Not acknowledged\* · opened </),
      line,
    ]);
  });

  it('is in the lists in few words', () => {
    const incidents = [failing, quiet, recovered].map((fields) => incident(fields));
    const words = ['Still failing', `Quiet since ${TIME}`, `Recovered ${TIME}`];

    const list = incidentList({ incidents, offset: 0, total: 3, hasMore: false, asOf: NOW });
    const storm = JSON.stringify(stormList({ stormId: 's', incidents, offset: 0, total: 3, asOf: NOW }));

    expect(list.text.split('\n').filter((line) => line.startsWith('Not'))).toEqual(
      words.map((each) => `Not acknowledged · opened ${OPENED_AGO} · ${each}`),
    );
    expect(words.filter((each) => !storm.includes(each))).toEqual([]);
  });

  it('of a closed incident is only shown if it recovered', () => {
    expect(linesOf({ status: 'closed', ...recovered })[2]).toBe(`Recovered ${TIME}`);
    expect(linesOf({ status: 'closed', ...failing })[2]).toBe('3 signals');
    expect(linesOf({ status: 'closed', ...quiet })[2]).toBe('3 signals');
  });
});

describe('the impact', () => {
  const calls = (from: string, failed: number) => ({ from, to: 'payments', calls: 216, failed });

  it('names the worst call, and in the details the two worst', () => {
    const impact = [calls('checkout', 208), calls('web', 5), calls('a', 3), calls('b', 2), calls('c', 1)];

    expect(linesOf({ impact }).slice(2)).toEqual(['208 of 216 calls failed', '3 signals']);
    expect(incidentDetails({ incident: incident({ impact }) }).text).toContain(
      'Impact: `checkout` -&gt; `payments`: 208 of 216 calls failed within a minute; `web` -&gt; `payments`: 5 of 216 calls failed within a minute; and at least 3 more calls',
    );
  });

  it('tells in the details how the failure reaches people', () => {
    const path = [
      { service: 'payments', requests: 208 },
      { service: 'checkout', requests: 200 },
    ];
    const window = { from: OPENED_AT, to: SEEN_AT };
    const correlation = { method: 'm', confidence: 0.9, services: [], edges: [], window, evidence: [], path };

    expect(incidentDetails({ incident: { ...incident({}), correlation } }).text).toContain(
      'How it reaches people: `payments` -&gt; `checkout` (200 requests)',
    );
  });

  it('moves the counts by type to the details', () => {
    const counted = incident({ impact: [], signals_by_type: { trace: 2, metric: 0, log: 1 } });

    expect(incidentCard({ incident: counted }).text).not.toMatch(/Impact|traces/);
    expect(incidentDetails({ incident: counted }).text).toMatch(/\nSignals: 2 traces, 1 log$/);
    expect(JSON.stringify(incidentDetails({ incident: counted }).blocks)).toContain('*Signals*: 2 traces, 1 log');
  });
});

it('names no root service as a fact while the service is unsure', () => {
  const unsure = incident({ possible_roots: ['payments', 'inventory'] });

  expect(incidentCard({ incident: unsure }).text).toContain('Root service unsure: `payments` or `inventory`\n');
  expect(incidentList({ incidents: [unsure], offset: 0, total: 1, hasMore: false, asOf: NOW }).text).toContain(
    'unsure: `payments` or `inventory`',
  );
  expect(linesOf({ possible_roots: [] }).join()).not.toContain('unsure');
});

describe('a merged incident', () => {
  const merged = {
    status: 'closed',
    closed_at: SEEN_AT,
    merged_into: 'inc_3',
    resolution_note: 'Part of #3: inventory.',
    resolved_by: null,
  } as const;
  const into = incident({ id: 'inc_3', number: 3, root_service: 'inventory', url: 'http://x.example/3' });

  it('names the incident that it is part of, with a link, and cannot be resolved', () => {
    const { text } = incidentCard({ incident: incident(merged), related: [into] });

    expect(text.split('\n')[1]).toBe(`Part of <http://x.example/3|#3: inventory>, ${TIME}`);
    expect(text).not.toContain('> Part of');
    expect(buttonsOf(merged)).not.toMatch(/Resolve|Acknowledge/);
    expect(linesOf(merged)[1]).toMatch(/^Part of inc_3,/);
  });

  it('keeps the note of a person who closed it before', () => {
    expect(linesOf({ ...merged, resolved_by: 'ana', resolution_note: 'rolled back' }, [into])).toContain(
      '> rolled back',
    );
  });
});

describe('what happened before', () => {
  const fix = (number: number) => ({
    id: `inc_0${number}`,
    number,
    closed_at: SEEN_AT,
    resolution_note: `rolled back 1.2.${number}`,
    resolved_by: 'Ana',
  });

  it('is on the card of an open incident once, and in the details twice', () => {
    const similar = [fix(1), fix(2), fix(3)];

    expect(linesOf({ similar })).toContain('Fixed before: #1, rolled back 1.2.1 · 3 signals');
    expect(incidentDetails({ incident: incident({ similar }) }).text).toContain(
      `Happened before: #1, rolled back 1.2.1 (Ana, ${AGO}); #2, rolled back 1.2.2 (Ana, ${AGO})`,
    );
    expect(linesOf({ similar: [{ ...fix(1), resolution_note: 'x'.repeat(500) }] }).at(-1)?.length).toBeLessThan(170);
    expect(linesOf({ similar, status: 'closed' }).join()).not.toContain('before');
    expect(linesOf({ similar: [] }).join()).not.toContain('before');
  });

  it('names the incident that this one continues, once', () => {
    const fields = { previous_incident_id: 'inc_01', similar: [fix(1), fix(2)] };
    const expected = /^Continues #1, closed by Ana: rolled back 1\.2\.1 · 3 signals$/;

    expect(linesOf(fields).at(-1)).toMatch(expected);
    expect(linesOf(fields, [incident({ ...fix(1), status: 'closed' })]).at(-1)).toMatch(expected);
    expect(linesOf({ previous_incident_id: 'inc_9' }, [incident({ id: 'inc_9', number: 9 })]).at(-1)).toBe(
      'Continues #9, which is still open · 3 signals',
    );
    expect(linesOf({ previous_incident_id: 'unknown' }).join()).not.toContain('Continues');
  });

  it('mentions who fixed it, if Slack knows the person', () => {
    const fields = { previous_incident_id: 'inc_01', similar: [fix(1), fix(2)] };

    const { text, blocks } = incidentDetails({
      incident: incident(fields),
      people: [{ name: 'Ana', slackUserId: 'U0ANA' }],
    });

    expect(JSON.stringify(blocks)).toContain('closed by <@U0ANA>: rolled back 1.2.1');
    expect(JSON.stringify(blocks)).toContain('rolled back 1.2.2 (<@U0ANA>, ');
    expect(text).not.toContain('<@');
  });
});

describe('closing an incident that still fails', () => {
  const GOES_ON = "I'll post a new card if it goes on after 10 minutes.";
  const stillFiring = { signals: 2, services: ['payments'], moreServices: 0, lastSeenAt: SEEN_AT };
  const form: ResolveForm = {
    context: { incidentId: 'inc_1', channelId: null, isAsked: false, stillFiring: null, list: null, teaches: [] },
    label: 'label',
    rootService: null,
    isFailing: true,
    pastFixes: [],
    draft: EMPTY_DRAFT,
  };

  it('is warned about in the form', () => {
    const warningOf = (shown: ResolveForm) => JSON.stringify(resolveModal(shown).blocks);

    expect(warningOf(form)).toContain(`⚠️ *Still failing*: ${GOES_ON}`);
    expect(warningOf({ ...form, context: { ...form.context, stillFiring } })).toContain(
      `⚠️ *Still failing*: 2 signals from \`payments\`, last seen ${TIME}. ${GOES_ON}`,
    );
    expect(warningOf({ ...form, isFailing: false })).not.toContain('Still failing');
  });

  it('is in the receipt', () => {
    const action = {
      id: 'a',
      kind: 'resolve',
      incidentId: 'inc_1',
      slackUserId: 'U1',
      channelId: null,
      userName: 'ana',
      note: 'rolled back',
      origin: '/incidents resolve',
      attempts: 0,
      asksFirst: false,
      isNoProblem: false,
      keptAt: new Date(),
    } as const;
    const receipt = (fields: Partial<Snapshot>) =>
      outcomeAnswer({
        kind: 'done',
        action,
        incident: incident({ status: 'closed', resolution_note: 'rolled back', ...fields }),
      }).text;

    expect(receipt({ activity: 'failing' })).toMatch(
      /Your note was added\.\n⚠️ Still failing: I'll post a new card if it goes on after 10 minutes\.$/,
    );
    expect(receipt({ activity: 'quiet' }) + receipt({})).not.toContain('Still failing');
  });
});
