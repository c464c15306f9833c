import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../src/local-slack.ts';
import { type Connection, connect, startFixture } from './fixture.ts';

describe('a Socket Mode connection', () => {
  it('is warned and renewed after the announced time, and then gets no payloads', async () => {
    const clock = createVirtualClock(new Date('2026-03-01T12:00:00Z'));
    await using fixture = await startFixture({ clock });
    const { slack } = fixture;
    await using old = await connect(slack);
    const hello = await old.hears(({ type }) => type === 'hello');
    const { approximate_connection_time: seconds } = hello.debug_info as { approximate_connection_time: number };

    await clock.advance((seconds - 10) * 1_000);
    await old.hears(({ type, reason }) => type === 'disconnect' && reason === 'warning');
    await clock.advance(10_000);
    await old.hears(({ type, reason }) => type === 'disconnect' && reason === 'refresh_requested');
    await using fresh = await connect(slack);
    await slack.as('ana').command('playground', '/hello');
    await slack.as('ana').command('playground', '/hello');
    await clock.advance(10_000);
    await slack.waitFor(() => slack.connections === 1);

    const commands = (connection: Connection): number =>
      connection.received.filter(({ type }) => type === 'slash_commands').length;
    expect([commands(old), commands(fresh)]).toEqual([0, 2]);
  });
});
