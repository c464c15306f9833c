import { describe, expect, it } from 'vitest';
import { channelName, roomName, topicOf } from './room.ts';

const INCIDENT = {
  id: 'inc_1',
  number: 142,
  status: 'open',
  signal_count: 1,
  root_service: 'payments',
  opened_at: '2026-01-31T08:00:00.000Z',
} as const;

describe('the name of a room', () => {
  it.each([
    ['payments', 'inc-142-payments'],
    ['Team A / Billing.API', 'inc-142-team-a-billing-api'],
    ['zahlungsströme', 'inc-142-zahlungsströme'],
    ['a'.repeat(200), `inc-142-${'a'.repeat(69)}`],
    ['💥', 'inc-142'],
  ])('of %s is %s', (root, name) => {
    expect(roomName({ ...INCIDENT, root_service: root })).toBe(name);
  });

  it('has room for what tells it from others within 80 characters', () => {
    const name = roomName({ ...INCIDENT, root_service: 'a'.repeat(200) });

    expect(channelName({ name, taken: 1 })).toBe(`${name}-2`);
    expect(channelName({ name, taken: 20 }).length).toBeLessThanOrEqual(80);
  });
});

it('says severity, state and lead in the topic, within 250 characters', () => {
  expect(topicOf({ ...INCIDENT, severity: 'critical', lead: 'Ana' })).toBe('critical · not acknowledged · lead: Ana');
  expect(topicOf({ ...INCIDENT, status: 'closed' })).toBe('closed');
  expect(topicOf({ ...INCIDENT, lead: 'A'.repeat(300) })).toHaveLength(250);
});
