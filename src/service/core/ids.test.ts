import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createId, findTimeOfId } from './ids.ts';

describe('ids', () => {
  it('contain their time in milliseconds', () => {
    const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true });

    fc.assert(
      fc.property(moments, (at) => {
        expect(findTimeOfId('sig', createId('sig', at))).toEqual(at);
      }),
    );
  });

  it('are a prefix and 26 characters that sort by time', () => {
    const earlier = createId('inc', new Date('2026-01-31T08:00:00.001Z'));
    const later = createId('inc', new Date('2026-01-31T08:00:00.002Z'));

    expect(earlier).toMatch(/^inc_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(earlier < later).toBe(true);
  });

  it.each(['', 'inc', 'inc_', 'inc_123', `sig_${'0'.repeat(26)}`, `inc_${'z'.repeat(26)}`, "inc_'; drop table", '12'])(
    'does not accept %j as the id of an incident',
    (text) => {
      expect(findTimeOfId('inc', text)).toBeNull();
    },
  );
});
