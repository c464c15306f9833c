import { expect, it } from 'vitest';
import { isMuted } from './mute.ts';

const mute = {
  id: 'mute_1',
  target: 'incident',
  value: 'inc_1',
  created_by: 'ana',
  created_at: '2026-01-31T08:00:00Z',
  until: '2026-01-31T09:00:00Z',
} as const;

it('is muted until the mute ends, also while the ended mute is still stored', () => {
  expect(isMuted({ mute }, new Date('2026-01-31T08:59:59Z'))).toBe(true);
  expect(isMuted({ mute }, new Date('2026-01-31T09:00:00Z'))).toBe(false);
});

it('is not muted without a mute, or if the service does not report mutes', () => {
  expect(isMuted({ mute: null }, new Date(0))).toBe(false);
  expect(isMuted({}, new Date(0))).toBe(false);
});
