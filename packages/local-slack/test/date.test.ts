import { expect, it } from 'vitest';
import { createVirtualClock } from '../src/local-slack.ts';
import { startFixture } from './fixture.ts';

it('sends its own time as the Date of each response', async () => {
  const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
  await using fixture = await startFixture({ clock });

  const response = await fetch(`${fixture.slack.apiUrl}auth.test`, { method: 'POST' });

  expect(response.headers.get('date')).toBe('Sun, 01 Mar 2026 12:00:00 GMT');
});
