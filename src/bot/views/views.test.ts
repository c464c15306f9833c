import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incident, Signal } from '../../contract/resources.ts';
import type { Action, Outcome } from '../domain/action.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { outcomeAnswer } from './answers.ts';
import { helpMessage, unknownWordMessage } from './help.ts';
import { incidentCard } from './incident-card.ts';
import { incidentDetails } from './incident-details.ts';
import { incidentList, LIST_PAGE_SIZE } from './incident-list.ts';
import { LIMITS } from './limits.ts';
import { EMPTY_DRAFT, isOneWord, parseNoteField, parseResolveContext, resolveModal } from './resolve-modal.ts';

const NOW = new Date('2026-01-31T08:20:00.000Z');
const OPENED_AT = '2026-01-31T08:00:00.000Z';

function incident(fields: Partial<Incident> = {}): Incident {
  return { id: 'inc_1', status: 'open', signal_count: 3, root_service: 'payments', opened_at: OPENED_AT, ...fields };
}

function action(fields: Partial<Action> = {}): Action {
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
    ...fields,
  };
}

/** Names that an attacker would give to services. */
const hostile = fc.oneof(
  fc.constantFrom(
    '<!channel>',
    '<@U1|x>',
    '&lt;!here&gt;',
    '@everyone',
    '`*_~>',
    '\u202Eevil',
    'a\nb',
    '🚒'.repeat(80),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('&<>'.repeat(2_000)),
  fc.constant('s'.repeat(200)),
);
const moment = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());
const absent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const signal: fc.Arbitrary<Signal> = fc
  .record({ id: hostile, type: fc.constantFrom('trace', 'metric', 'log'), service: hostile, summary: hostile })
  .map((fields) => ({ ...fields, type: fields.type as Signal['type'], occurrences: 12_345, ended_at: OPENED_AT }));

const failingCall = fc.record({ from: hostile, to: hostile, calls: fc.nat(), failed: fc.nat() });
const similar = fc.record({
  id: hostile,
  number: fc.nat(),
  closed_at: moment,
  resolution_note: hostile,
  resolved_by: hostile,
});

const anyIncident: fc.Arbitrary<Snapshot & Incident> = fc
  .record({
    id: hostile.map((id) => id.slice(0, 255) || 'x'),
    status: fc.constantFrom<Incident['status'][]>('open', 'closed'),
    signal_count: fc.constantFrom(0, 1, 3_000),
    root_service: hostile,
    opened_at: moment,
    number: absent(fc.nat()),
    title: absent(hostile),
    severity: absent(fc.constantFrom<NonNullable<Incident['severity']>[]>('critical', 'info')),
    acknowledged_at: absent(moment),
    acknowledged_by: absent(hostile),
    closed_at: absent(moment),
    signals_ended_at: absent(moment),
    resolved_by: absent(hostile),
    resolution_note: absent(hostile),
    services: absent(fc.array(hostile, { maxLength: 40 })),
    url: absent(
      fc.oneof(fc.webUrl(), hostile, fc.constantFrom('javascript:alert(1)', `https://x.example/${'a'.repeat(900)}`)),
    ),
    signals_by_type: absent(fc.constant({ trace: 1_000, metric: 1_000, log: 1_000 })),
    signals: absent(fc.array(signal, { maxLength: 30 })),
    activity: absent(fc.constantFrom<NonNullable<Incident['activity']>[]>('failing', 'quiet', 'recovered')),
    activity_since: absent(moment),
    last_seen_at: absent(moment),
    impact: absent(fc.array(failingCall, { maxLength: 5 })),
    merged_into: absent(fc.constantFrom('inc_2', 'inc_3')),
    previous_incident_id: absent(fc.constantFrom('inc_2', 'inc_3')),
    possible_roots: absent(fc.array(hostile, { maxLength: 2 })),
    similar: absent(fc.array(similar, { maxLength: 3 })),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Incident);

const related = anyIncident.map((any) => [{ ...any, id: 'inc_2' }]);

interface TextObject {
  readonly type: 'mrkdwn' | 'plain_text';
  readonly text: string;
  readonly verbatim?: boolean;
}

function textObjects(blocks: readonly KnownBlock[]): TextObject[] {
  const found: TextObject[] = [];
  JSON.stringify(blocks, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string') {
      found.push(value as TextObject);
    }
    return value;
  });
  return found;
}

/** What Slack would act upon: everything in angle brackets but our own dates and links, and bare ampersands. */
function controlSequences(mrkdwn: string): string[] {
  const rest = mrkdwn
    .replace(/<!date\^\d+\^(?:\{\w+\}(?:, | )?)+\|[\d: -]+ UTC>/g, '')
    .replace(/<https?:\/\/[^<>|\s]+\|[^<>]*>/g, '')
    .replace(/&(?:amp|lt|gt);/g, '');
  return rest.match(/[<>&]/g) ?? [];
}

/** What Slack would refuse or misread in a message. */
function faultsOf(message: SlackMessage): string[] {
  const { text, blocks } = withoutQuotes(message);
  const texts = textObjects(blocks);
  const total = texts.reduce((sum, each) => sum + each.text.length, 0);
  const faults = [
    ...(text.length === 0 || text.length > 40_000 ? [`text of ${text.length}`] : []),
    ...(blocks.length > LIMITS.blocksPerMessage ? [`${blocks.length} blocks`] : []),
    ...(total > LIMITS.blockTextPerMessage ? [`${total} characters in blocks`] : []),
    ...controlSequences(text).map((sequence) => `${sequence} in the text`),
  ];
  for (const block of blocks) {
    const longest = { actions: LIMITS.buttonText, context: LIMITS.contextText }[block.type as string];
    for (const each of textObjects([block])) {
      const { length } = each.text;
      faults.push(...(length === 0 || length > (longest ?? LIMITS.sectionText) ? [`${block.type} of ${length}`] : []));
    }
  }
  for (const each of texts.filter(({ type }) => type === 'mrkdwn')) {
    faults.push(...controlSequences(each.text).map((sequence) => `${sequence} in a block`));
    faults.push(...(each.verbatim === true ? [] : ['names would become mentions']));
  }
  return faults;
}

/** A quotation's own `> ` at the start of a line is markup of ours. */
function withoutQuotes(message: SlackMessage): SlackMessage {
  const blocks = JSON.parse(JSON.stringify(message.blocks), (key, value: unknown) =>
    key === 'text' && typeof value === 'string' ? value.replace(/^> /gm, '  ') : value,
  ) as KnownBlock[];
  return { text: message.text.replace(/^> /gm, '  '), blocks };
}

it('shows the actions that wait for the service until the state includes them', () => {
  const waiting = [
    { kind: 'acknowledge', user: 'ana' },
    { kind: 'resolve', user: 'ben' },
  ] as const;
  const linesOf = (fields: Partial<Incident>) =>
    incidentCard({ incident: incident(fields), waiting })
      .text.split('\n')
      .filter((line) => line.includes('waiting'));

  expect(linesOf({})).toEqual([expect.stringContaining('ana'), expect.stringContaining('ben')]);
  expect(linesOf({ acknowledged_by: 'ana', acknowledged_at: OPENED_AT })).toEqual([expect.stringContaining('ben')]);
  expect(linesOf({ status: 'closed' })).toEqual([]);
});

describe('every message', () => {
  it('is within the limits and free of control sequences, whatever the incident holds', () => {
    fc.assert(
      fc.property(anyIncident, related, fc.array(hostile, { maxLength: 9 }), (any, others, users) => {
        const waiting = users.map((user) => ({ kind: 'resolve' as const, user }));
        const content = { incident: any, waiting, related: others };
        expect(faultsOf(incidentCard(content))).toEqual([]);
        expect(incidentCard(content).text.length).toBeLessThanOrEqual(LIMITS.editedText);
        expect(faultsOf(incidentDetails(content))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('is within the limits for a full page of such incidents', () => {
    const pages = fc.array(anyIncident, { minLength: LIST_PAGE_SIZE, maxLength: LIST_PAGE_SIZE });
    fc.assert(
      fc.property(pages, (incidents) => {
        expect(faultsOf(incidentList({ incidents, offset: 20, total: 3_000, hasMore: true, asOf: NOW }))).toEqual([]);
      }),
      { numRuns: 60 },
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
        expect(outcomes.flatMap((outcome) => faultsOf(outcomeAnswer(outcome)))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('has a text that says what its blocks say, for screen readers', () => {
    const open = incident({ number: 142, title: 'error burst', signals_by_type: { trace: 2, metric: 0, log: 1 } });

    expect(incidentCard({ incident: open }).text).toBe(
      '#142 error burst: Open, not acknowledged · ' +
        'opened <!date^1769846400^{date_short_pretty} {time}, {ago}|2026-01-31 08:00 UTC>\n' +
        'Root service `payments` · 3 signals',
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
    expect(text).toMatch(/> rolled back\n> 1\.2\.3$/);
  });

  it('shows the first number of signals once there are more', () => {
    const signals = (signal_count: number, firstSignalCount: number | null) =>
      incidentCard({ incident: incident({ signal_count }), firstSignalCount }).text.match(
        /· ([^·]*signals?[^·]*)$/m,
      )?.[1];

    expect(signals(3_000, 12)).toBe('3,000 signals, 12 at first');
    expect([signals(12, 12), signals(12, null), signals(2, 0)]).toEqual(['12 signals', '12 signals', '2 signals']);
  });

  it('escapes control characters in names', () => {
    const { blocks } = incidentCard({
      incident: incident({ root_service: 'a`b*c*', title: '*bold* ~gone~ `code`\n✅ *Closed*' }),
    });

    expect(JSON.stringify(blocks[0])).toContain('*inc_1 ∗bold∗ ∼gone∼ ˋcodeˋ ✅ ∗Closed∗*');
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

  expect(faultsOf(message)).toEqual([]);
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
  it('returns its incident, and the note with every space', () => {
    const context = { incidentId: 'inc_1', channelId: null, isAsked: false, stillFiring: null, list: null };
    const form = { context, label: 'label', rootService: null, isFailing: false, pastFixes: [], draft: EMPTY_DRAFT };
    const text = '  a\n\tb &lt; ';
    const field = { blockId: 'resolution_note:2', edition: 2, text };

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

describe('help', () => {
  it('fits one section and escapes the word it does not know', () => {
    expect(faultsOf(helpMessage())).toEqual([]);
    expect(unknownWordMessage({ typed: '<!here>', suggestion: null }).text).toContain('“&lt;!here&gt;”');
  });
});
