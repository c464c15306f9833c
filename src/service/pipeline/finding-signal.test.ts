import { expect, it } from 'vitest';
import { evidence } from '../../../test/support/evidence.ts';
import { toFindingSignal } from './finding-signal.ts';

const AT = Date.parse('2026-01-30T10:00:00Z');

it('says of requests that stopped since when none came, though that was noticed later', () => {
  const stopped = evidence({
    family: 'requests_stopped',
    service: 'shop',
    origin: 'metric',
    at: AT,
    since: AT - 150_000,
  });

  expect(toFindingSignal({ ...stopped, now: 0, usual: 240 })).toMatchObject({
    type: 'metric',
    summary: 'no request is reported any more, usually 240 a minute',
    observedAt: new Date(AT - 150_000),
    lastSeenAt: new Date(AT),
    detail: { type: 'metric', value: 0, threshold: 240 },
  });
});
