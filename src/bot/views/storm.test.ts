import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incident } from '../../contract/resources.ts';
import type { StormService, StormSummary } from '../domain/storm.ts';
import { parseStormValue, stormCard, stormReceipt } from '../storm/storm-card.ts';
import { STORM_PAGE_SIZE, stormList } from '../storm/storm-list.ts';
import { LIMITS } from './limits.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const name = fc.oneof(
  fc.constant('<!channel>'.repeat(30)),
  fc.constant('s'.repeat(2_500)),
  fc.string({ unit: 'binary' }),
);
const count = fc.integer({ min: 0, max: 2_000_000 });

const oldest: Incident = {
  id: 'inc_1',
  status: 'open',
  signal_count: 3_000,
  root_service: 'x'.repeat(200),
  opened_at: '2026-01-31T08:00:00.000Z',
};

const summary: fc.Arbitrary<StormSummary> = fc.record({
  id: fc.constant(ID),
  startedAt: fc.constant(new Date('2026-01-31T08:00:00.000Z')),
  calmAt: fc.constantFrom(null, new Date('2026-01-31T08:10:00.000Z')),
  endedAt: fc.constantFrom(null, new Date('2026-01-31T08:20:00.000Z')),
  services: fc.array(
    fc.record({
      service: name,
      incidents: count,
      open: count,
      unacknowledged: count,
      worst: fc.constantFrom(null, 'critical' as const),
      title: fc.option(name),
      signals: count,
      byType: fc.option(fc.record({ trace: count, metric: count, log: count })),
    }),
    { maxLength: 30 },
  ),
  first: fc.constantFrom(null, oldest),
});

/** The texts of all text objects inside `value`. */
function texts(value: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(value, (_key, inner: unknown) => {
    const { type, text } = Object(inner);
    if (type === 'mrkdwn' || type === 'plain_text') {
      found.push(text);
    }
    return inner;
  });
  return found;
}

describe('a storm card', () => {
  it('stays within Slack’s limits and contains no mention, whatever the names of the services', () => {
    fc.assert(
      fc.property(summary, (storm) => {
        const { text, blocks } = stormCard(storm);

        const all = texts(blocks);
        expect(blocks.length).toBeLessThanOrEqual(LIMITS.blocksPerMessage);
        expect(all.reduce((total, each) => total + each.length, 0)).toBeLessThan(LIMITS.blockTextPerMessage);
        expect(Math.max(...all.map((each) => each.length))).toBeLessThanOrEqual(LIMITS.sectionText);
        expect(text).not.toMatch(/<(?!!date\^)/);
      }),
    );
  });

  it('has the storm and the service in its buttons, also for a service with special characters', () => {
    const service = 'a:b\nc';
    const fields = { incidents: 2, open: 2, unacknowledged: 2, signals: 4, byType: null, worst: null, title: null };
    const card = stormCard({
      id: ID,
      startedAt: new Date(0),
      calmAt: null,
      endedAt: null,
      services: [{ service, ...fields }],
      first: null,
    });

    const values = [...JSON.stringify(card.blocks).matchAll(/"value":("(?:[^"\\]|\\.)*")/g)].map(([, value = '']) =>
      parseStormValue(JSON.parse(value)),
    );

    expect(values).toEqual([
      { stormId: ID, rest: service },
      { stormId: ID, rest: '0' },
    ]);
  });
});

describe('a row of a storm card', () => {
  const row = (fields: Partial<StormService>) => {
    const one = { incidents: 1, open: 1, unacknowledged: 1, signals: 4, byType: null, worst: null, title: null };
    const services = [{ service: 'payments', ...one, ...fields }];
    const { blocks } = stormCard({
      id: ID,
      startedAt: new Date(0),
      calmAt: null,
      endedAt: null,
      services,
      first: null,
    });
    return texts(blocks[1]);
  };

  it('says what fails, then who has it, and offers to acknowledge one incident without asking', () => {
    expect(row({ worst: 'critical', title: 'payments: POST /charge fails' })).toEqual([
      '🚨 Critical · payments: POST /charge fails\n1 incident · 🔴 all open, none acknowledged',
      'Acknowledge',
    ]);
  });

  it('names the service where the title does not, and counts what its button acknowledges', () => {
    expect(row({ incidents: 3, open: 3, unacknowledged: 2, title: 'Disk full' }).slice(0, 2)).toEqual([
      'Disk full\n`payments` 3 incidents · 🔴 all open, 2 not acknowledged',
      'Acknowledge all of payments (2)',
    ]);
  });
});

it('reports the acknowledged incidents of a storm in one section, however long their ids are', () => {
  const ids = Array.from({ length: 50 }, (_, index) => `${index}${'&'.repeat(250)}`);
  const ends = { done: [], already: ids, kept: ids, refused: ids };

  const receipt = stormReceipt('s'.repeat(250), ends, new Map());

  expect(receipt.length).toBeLessThanOrEqual(LIMITS.sectionText);
  expect(receipt.match(/ and 47 more\.$/gm)).toHaveLength(3);
});

describe('the list of a storm', () => {
  it('offers only the pages that exist', () => {
    const incidents = Array.from({ length: STORM_PAGE_SIZE }, () => oldest);
    const turns = (offset: number) =>
      texts(stormList({ stormId: ID, incidents, offset, total: 36, asOf: new Date(0) }).blocks).filter((text) =>
        /^(Next|Prev)/.test(text),
      );

    expect([turns(0), turns(12), turns(24)]).toEqual([['Next'], ['Previous', 'Next'], ['Previous']]);
  });
});
