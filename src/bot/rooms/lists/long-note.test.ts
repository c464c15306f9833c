import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../contract/resources.ts';
import { factsOf } from '../card/facts.ts';
import { incidentCard } from '../card/incident-card.ts';
import { whatChanged } from '../card/what-changed.ts';
import { incidentDetails } from './incident-details.ts';
import { closedList } from './incident-list.ts';

const NOW = new Date('2026-01-31T08:20:00.000Z');
const PARAGRAPH = `It was the *pool* of \`payments\`. ${'We looked at every connection. '.repeat(86)}`.trim();
const NOTE = `Rolled back 1.8.2.\n${PARAGRAPH}\nThe last line.`;

const closed: Incident = {
  id: 'inc_1',
  number: 6,
  status: 'closed',
  signal_count: 3,
  root_service: 'payments',
  title: 'SELECT * FROM users WHERE a*b fails with *no* `pool`',
  opened_at: '2026-01-31T08:00:00.000Z',
  closed_at: '2026-01-31T08:10:00.000Z',
  resolved_by: 'ana@example.com',
  resolution_note: NOTE,
};

/** What a person reads in the quotations of blocks. */
const quoted = (blocks: readonly object[]) =>
  blocks
    .flatMap((block) => String(Object(Reflect.get(block, 'text')).text ?? '').split('\n'))
    .filter((line) => line.startsWith('> '))
    .map((line) => line.slice(2))
    .join('');

describe('a long note', () => {
  it('is on the card up to a place, which says how much more there is', () => {
    const { blocks, text } = incidentCard({ incident: closed });

    const shown = quoted(blocks);
    expect(shown.startsWith('Rolled back 1.8.2.It was the *pool* of `payments`.')).toBe(true);
    expect(shown.length).toBeGreaterThan(900);
    expect(text).toMatch(/^1,\d{3} more characters: `\/incidents show #6`$/m);
  });

  it('is whole in Show, with its formatting', () => {
    const { blocks } = incidentDetails({ incident: closed });

    expect(quoted(blocks).replaceAll('…', '')).toBe(NOTE.replaceAll('\n', ''));
  });

  it('is in the thread up to a place, which says how much more there is', () => {
    const open: Incident = { ...closed, status: 'open', closed_at: null, resolved_by: null, resolution_note: null };

    const { lines } = whatChanged(factsOf(open, NOW), factsOf(closed, NOW));

    expect(lines.at(-1)).toMatch(/^Closed by ana, .*: Rolled back 1\.8\.2\. It was the \*pool\* of `payments`/);
    expect(lines.at(-1)).toMatch(/… \(2,\d{3} more characters in Show\)$/);
  });
});

it('keeps the letters of titles and of notes in lists', () => {
  const list = closedList({ incidents: [closed], offset: 0, total: 1, hasMore: false, asOf: NOW });

  expect(list.text.replaceAll('\u2060', '')).toContain(closed.title);
  expect(JSON.stringify(list.blocks)).toContain('It was the *pool* of `payments`');
  expect(JSON.stringify(list.blocks)).not.toContain('*#6 SELECT'); // bold would end at the asterisk
});
