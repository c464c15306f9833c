import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { NothingOpen, watchedIn } from './watched.tsx';

const NOW = new Date('2026-11-22T10:00:00Z');
const MINUTE = 60_000;

function callSeen(caller: string, callee: string, minutesAgo: number) {
  return { caller, callee, calls: 9, failed: 0, seenAt: NOW.getTime() - minutesAgo * MINUTE };
}

describe('what is watched', () => {
  it('is every service of the calls of the last day, and when the last call was seen', () => {
    const calls = [callSeen('web', 'cart', 3), callSeen('web', 'search', 50), callSeen('old', 'older', 25 * 60)];

    expect(watchedIn({ calls, changes: [] }, NOW)).toEqual({
      services: 3,
      seenAt: new Date(NOW.getTime() - 3 * MINUTE),
    });
  });

  it('is nothing while no call is known', () => {
    expect(watchedIn({ calls: [callSeen('old', 'older', 25 * 60)], changes: [] }, NOW)).toBeNull();
  });

  it.each([
    [10, 'calm', 'No incident is open.'],
    [11, 'alarm', 'No incident is open, but nobody reports'],
  ])('is told after %d minutes without a call', async (minutes, style, words) => {
    const watched = { services: 3, seenAt: new Date(NOW.getTime() - minutes * MINUTE) };

    const line = String(await html`${<NothingOpen watched={watched} now={NOW} />}`);

    expect(line.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`class="[^"]*${style}"> ?${words}`));
    expect(line).toContain('<a href="/dashboard/services">3 services</a> are watched');
    expect(line).toContain(`${minutes} minutes ago`);
  });
});
