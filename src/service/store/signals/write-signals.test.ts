import { expect, it } from 'vitest';
import { signal } from '../../../../test/support/signal-builders.ts';
import { withPossibleTime } from './write-signals.ts';

const now = new Date('2026-01-31T08:00:00.000Z');

it.each([new Date('1969-12-31T23:59:59Z'), new Date('2026-02-01T08:00:01Z'), new Date(Number.NaN)])(
  'replaces the impossible time %s by now',
  (observedAt) => {
    const corrected = withPossibleTime({ ...signal(), observedAt, lastSeenAt: observedAt }, now);

    expect(corrected).toMatchObject({ observedAt: now, lastSeenAt: now });
  },
);

it('keeps a possible time', () => {
  expect(withPossibleTime(signal(), now)).toMatchObject({ observedAt: now });
});
