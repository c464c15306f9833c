import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyIncident, hostile } from '../../../../test/support/any-incident.ts';
import { outcomeAnswer } from '../../../../test/support/outcome-answers.ts';
import { runs } from '../../../../test/support/runs.ts';
import { messageFaults } from '../../../../test/support/view-faults.ts';
import type { Incident } from '../../../contract/resources.ts';
import type { Action, Outcome } from '../../actions/action.ts';
import { createNameWaiting } from '../../actions/definition.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { ACTION_DEFINITIONS } from '../../features.ts';
import { incidentCard } from '../card/incident-card.ts';
import { incidentDetails } from '../lists/incident-details.ts';
import { incidentList, LIST_PAGE_SIZE } from '../lists/incident-list.ts';
import { EMPTY_DRAFT, isOneWord, parseNoteField, parseResolveContext, resolveModal } from './resolve-modal.ts';

const NOW = new Date('2026-01-31T08:20:00.000Z');
const OPENED_AT = '2026-01-31T08:00:00.000Z';

function incident(fields: Partial<Incident> = {}): Incident {
  return { id: 'inc_1', status: 'open', signal_count: 3, root_service: 'payments', opened_at: OPENED_AT, ...fields };
}

function action(fields: Partial<Action<'resolve'>> = {}): Action<'resolve'> {
  return {
    id: 'a',
    kind: 'resolve',
    incidentId: 'inc_1',
    slackUserId: 'U1',
    channelId: 'C1',
    userName: 'ana@example.com',
    note: 'rolled back',
    origin: '/incidents resolve',
    attempts: 0,
    asksFirst: false,
    isNoProblem: false,
    keptAt: NOW,
    ...fields,
  };
}

const related = anyIncident.map((any) => [{ ...any, id: 'inc_2' }]);

it('shows the actions that wait for the service until the state includes them', () => {
  const waiting = [
    { kind: 'acknowledge', user: 'ana' },
    { kind: 'resolve', user: 'ben' },
  ] as const;
  const nameWaiting = createNameWaiting(ACTION_DEFINITIONS);
  const waitingIn = (fields: Partial<Incident>) =>
    incidentCard({ incident: incident(fields), waiting: nameWaiting({ incident: incident(fields), waiting }) })
      .text.match(/(?<=⏳ Waiting for the incident service: )[^·\n]*/)?.[0]
      .trim();

  expect(waitingIn({})).toBe('acknowledgement by ana, resolution by ben');
  expect(waitingIn({ acknowledged_by: 'ana', acknowledged_at: OPENED_AT })).toBe('resolution by ben');
  expect(waitingIn({ status: 'closed' })).toBeUndefined();
});

describe('every message', () => {
  it('is within the limits and free of control sequences, whatever the incident holds', () => {
    fc.assert(
      fc.property(anyIncident, related, fc.array(hostile, { maxLength: 9 }), (any, others, users) => {
        const waiting = users.map((user) => ({ name: 'resolution', user }));
        const content = { incident: any, waiting, related: others };
        expect(messageFaults(incidentCard(content))).toEqual([]);
        expect(incidentCard(content).text.length).toBeLessThanOrEqual(LIMITS.editedText);
        expect(messageFaults(incidentDetails(content))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is within the limits for a full page of such incidents', () => {
    const pages = fc.array(anyIncident, { minLength: LIST_PAGE_SIZE, maxLength: LIST_PAGE_SIZE });
    fc.assert(
      fc.property(pages, (incidents) => {
        expect(messageFaults(incidentList({ incidents, offset: 20, total: 3_000, hasMore: true, asOf: NOW }))).toEqual(
          [],
        );
      }),
      { numRuns: runs(60) },
    );
  });

  it('is within the limits for every outcome of every note', () => {
    const notes = fc.oneof(hostile, fc.constant('&'.repeat(3_000)), fc.constant(`${'🚒 '.repeat(4_000)}the end`));
    fc.assert(
      fc.property(anyIncident, notes, hostile, (any, note, detail) => {
        const outcomes: Outcome[] = [
          { kind: 'done', action: action({ note }), incident: any },
          { kind: 'already', action: action({ note }), incident: any },
          { kind: 'kept', action: action({ note }), reason: 'unreachable' },
          { kind: 'refused', action: action({ note, incidentId: any.id }), reason: { kind: 'rejected', detail } },
          { kind: 'refused', action: action({ note, incidentId: any.id }), reason: { kind: 'unknown-incident' } },
        ];
        expect(outcomes.flatMap((outcome) => messageFaults(outcomeAnswer(outcome)))).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('the card', () => {
  it('keeps who acknowledged it and the note once it is closed', () => {
    const closed = incident({
      status: 'closed',
      acknowledged_by: 'ben',
      acknowledged_at: OPENED_AT,
      resolved_by: 'ana',
      closed_at: OPENED_AT,
      resolution_note: 'rolled back\n1.2.3',
    });

    const { text } = incidentCard({ incident: closed });

    expect(text).toMatch(/Closed by ana, <!date/);
    expect(text).toMatch(/Acknowledged by ben, <!date/);
    expect(text).toMatch(/\n> rolled back\n> 1\.2\.3\n/);
  });

  it('shows the first number of signals once there are more', () => {
    const signals = (signal_count: number, firstSignalCount: number | null) =>
      incidentCard({ incident: incident({ signal_count }), firstSignalCount }).text.match(
        /^([\d,]+ signals?.*)$/m,
      )?.[1];

    expect(signals(3_000, 12)).toBe('3,000 signals, 12 at first');
    expect([signals(12, 12), signals(12, null), signals(2, 0)]).toEqual(['12 signals', '12 signals', '2 signals']);
  });

  it('escapes control characters in names', () => {
    const { blocks } = incidentCard({
      incident: incident({ root_service: 'a`b*c*', title: '*bold* ~gone~ `code`\n✅ *Closed*' }),
    });

    expect(JSON.stringify(blocks[0])).toContain(
      'inc_1 \u2060*bold*\u2060 \u2060~gone~\u2060 \u2060`code`\u2060 ✅ \u2060*Closed*\u2060',
    );
    expect(JSON.stringify(blocks[0])).toContain('Root service `aˋb*c*`');
  });

  it('names a few of the other services and counts the rest', () => {
    const services = ['payments', ...Array.from({ length: 9 }, (_, index) => `s${index}`)];

    const { text } = incidentCard({ incident: incident({ services }) });

    expect(text).toContain('Also affects `s0`, `s1`, `s2`, `s3`, `s4` and 4 more');
  });
});

it('shows as many signals of an incident as fit, and counts the rest', () => {
  const long = { type: 'metric', service: 'x'.repeat(200), summary: 'y'.repeat(300), ended_at: OPENED_AT } as const;
  const signals = Array.from({ length: 20 }, (_, index) => ({ id: `s${index}`, occurrences: 12_345, ...long }));

  const message = incidentDetails({ incident: incident({ signal_count: 3_000, signals }) });

  expect(messageFaults(message)).toEqual([]);
  expect(message.text.match(/^• /gm)).toHaveLength(7);
  expect(message.text).toMatch(/and 2,993 more signals$/);
});

describe('the list', () => {
  it('says that no incidents are open', () => {
    expect(incidentList({ incidents: [], offset: 0, total: 0, hasMore: false, asOf: NOW }).text).toMatch(
      /^No open incidents/,
    );
  });

  it('shows no total where the service gives none', () => {
    const { text } = incidentList({ incidents: [incident()], offset: 0, total: null, hasMore: true, asOf: NOW });

    expect(text).toMatch(/^More than 1 open incident,/);
  });
});

describe('the note modal', () => {
  const context = {
    incidentId: 'inc_1',
    channelId: null,
    isAsked: false,
    stillFiring: null,
    list: null,
    teaches: [],
  };
  const form = { context, label: 'label', rootService: null, isFailing: false, pastFixes: [], draft: EMPTY_DRAFT };

  it('names its incident in bold, unless an asterisk in the title would end the bold text', () => {
    const [named] = resolveModal(form).blocks;
    const [plain] = resolveModal({ ...form, label: '#1 a *b* c' }).blocks;

    expect(named).toMatchObject({ text: { text: '*label*' } });
    expect(plain).toMatchObject({ text: { text: '#1 a *b* c' } });
  });

  it('returns its incident, and the note with every space', () => {
    const text = '  a\n\tb &lt; ';
    const field = { blockId: 'resolution_note:2', edition: 2, text, isNoProblem: false };

    expect(parseResolveContext(resolveModal(form).private_metadata ?? '')).toEqual(context);
    expect(parseNoteField({ 'resolution_note:2': { resolution_note_text: { value: text } } })).toEqual(field);
  });

  it.each([
    ['fixed', true],
    [' ok. ', true],
    ['🚀', true],
    ['完了', true],
    ['rolled back', false],
    ['1.2.3 again', false],
    ['支払いサービスを再起動しました', false],
  ])('takes %j for one word: %s', (note, expected) => {
    expect(isOneWord(note)).toBe(expected);
  });

  it('validates everything that comes back', () => {
    expect(parseResolveContext('{"incidentId":7}')).toBeNull();
    expect(parseResolveContext('not json')).toBeNull();
    expect(parseNoteField({ other: {} })).toBeNull();
  });
});
