import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../contract/resources.ts';
import { LIMITS } from '../../blocks/limits.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { StormGroup, StormSummary } from './storm.ts';
import { parseKey, parseStormValue, stormCard, stormReceipt } from './storm-card.ts';
import { STORM_PAGE_SIZE, stormList } from './storm-list.ts';

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
  groups: fc.array(
    fc.record({
      key: fc.record({ by: fc.constantFrom('failure', 'service'), value: name }),
      incidents: count,
      open: count,
      unacknowledged: count,
      services: count,
      named: fc.array(
        name.map((title) => ({ ...oldest, title })),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { maxLength: 30 },
  ),
});

function stormOf(...groups: readonly StormGroup[]): StormSummary {
  return { id: ID, startedAt: new Date(0), calmAt: null, endedAt: null, groups };
}

const counts = { incidents: 2, open: 2, unacknowledged: 2, services: 1 };

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

  it('has the storm and what is shared in its buttons, also of a service with special characters', () => {
    const key = { by: 'service', value: 'a:b\nc' } as const;
    const card = stormCard(stormOf({ key, ...counts, named: [oldest] }, { key, ...counts, named: [oldest] }));

    const values = [...JSON.stringify(card.blocks).matchAll(/"value":("(?:[^"\\]|\\.)*")/g)].map(([, value = '']) =>
      parseStormValue(JSON.parse(value)),
    );

    expect(values.map((value) => value?.stormId)).toEqual(Array.from({ length: 4 }, () => ID));
    expect(values.slice(0, 3).map((value) => parseKey(value?.rest ?? ''))).toEqual([key, key, null]);
    expect(parseKey('payments')).toEqual({ by: 'service', value: 'payments' }); // of an older message
  });
});

describe('a row of a storm card', () => {
  const host = (index: number): Snapshot => ({
    ...oldest,
    id: `inc_${index}`,
    number: index,
    severity: 'critical',
    root_service: `disk-${index}`,
    title: `disk-${index}: the disk is full`,
    url: `https://tocsin.example/incidents/${index}`,
  });
  const row = (fields: Partial<StormGroup>) => {
    const key = { by: 'failure', value: 'the disk is full' } as const;
    return texts(stormCard(stormOf({ key, ...counts, named: [host(0)], ...fields })).blocks[1]);
  };

  it('is one for the same failure on 60 services, and names and links some of them', () => {
    const named = [0, 1, 2].map(host);

    expect(row({ incidents: 60, open: 60, unacknowledged: 60, services: 60, named }).slice(0, 2)).toEqual([
      `*🚨 Critical* · *the disk is full* on 60 services\n60 incidents: ${[0, 1, 2]
        .map((index) => `<https://tocsin.example/incidents/${index}|#${index} disk-${index}>`)
        .join(', ')} and 57 more · 🔴 none acknowledged`,
      'Acknowledge all of this failure (60)',
    ]);
  });

  it('is like that of a list for one incident, which is acknowledged without asking', () => {
    expect(row({ incidents: 1, open: 1, unacknowledged: 1 })).toEqual([
      '*🚨 Critical* · *<https://tocsin.example/incidents/0|#0 disk-0: the disk is full>*\n🔴 not acknowledged',
      'Acknowledge',
    ]);
  });

  it('names the service where the title does not, and counts what its button acknowledges', () => {
    const key = { by: 'service', value: 'payments' } as const;
    const named = [1, 2].map((index) => ({ ...oldest, number: index, root_service: 'payments', title: 'Disk full' }));

    expect(row({ key, incidents: 3, open: 3, unacknowledged: 2, named }).slice(0, 2)).toEqual([
      '*Disk full*\n`payments` 3 incidents: #1, #2 and 1 more · 🔴 2 not acknowledged',
      'Acknowledge all of payments (2)',
    ]);
  });

  it('leaves out what would not fit a telephone, and says how much that is', () => {
    const groups = Array.from({ length: 9 }, (_, index) => ({
      key: { by: 'service', value: `s${index}` } as const,
      ...counts,
      named: [host(index)],
    }));

    const { text, blocks } = stormCard(stormOf(...groups));

    expect(blocks.filter(({ type }) => type === 'section')).toHaveLength(7);
    expect(text).toContain('and 6 more incidents, 6 not acknowledged: see the list');
    expect(texts(blocks)).toContain('Acknowledge all (18)');
  });
});

it('reports the acknowledged incidents of a storm in one section, however long their ids are', () => {
  const ids = Array.from({ length: 50 }, (_, index) => `${index}${'&'.repeat(250)}`);
  const ends = { done: [], already: ids, kept: ids, refused: ids };

  const receipt = stormReceipt('acknowledged', `of \`${'s'.repeat(250)}\``, ends, new Map());

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
