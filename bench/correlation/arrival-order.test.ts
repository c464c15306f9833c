import { describe, expect, it } from 'vitest';
import { inOrderOfArrival } from './arrival-order.ts';
import type { Row } from './rows.ts';

const START = Date.parse('2026-01-05T10:00:00Z');

describe('the order of arrival', () => {
  it('lets no span arrive before it has ended', async () => {
    const entry = span('entry', 0, 3_000);
    const first = span('first call', 100, 200);
    const second = span('second call', 400, 2_500);

    const rows = await arrivalsOf([entry, first, second, { ...span('next', 2_000, 10), kind: 'log' }]);

    expect(rows).toEqual([
      ['first call', 300],
      ['next', 2_000],
      ['second call', 2_900],
      ['entry', 3_000],
    ]);
  });

  it('keeps the order of rows that tell when they arrived', async () => {
    const late = { ...span('late', 0, 50), received_at: new Date(START + 9_000).toISOString() };
    const last = { ...span('last', 8_000, 5_000), received_at: new Date(START + 9_500).toISOString() };

    expect(await arrivalsOf([late, last])).toEqual([
      ['late', 9_000],
      ['last', 9_500],
    ]);
  });
});

async function arrivalsOf(rows: readonly Row[]): Promise<(readonly [string | undefined, number])[]> {
  const arrived: (readonly [string | undefined, number])[] = [];
  for await (const { row, at } of inOrderOfArrival(rows)) {
    arrived.push([row.name, at - START]);
  }
  return arrived;
}

function span(name: string, startMs: number, durationMs: number): Row {
  return {
    kind: 'trace',
    service: 'web',
    name,
    timestamp: new Date(START + startMs).toISOString(),
    duration_ms: durationMs,
  };
}
