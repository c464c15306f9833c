import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createRealClock } from '../../runtime/clock.ts';
import { createResponders } from './responders.ts';

const MINUTE_MS = 60_000;

function responders(groups: readonly string[]) {
  const clock = createTestClock();
  const members: Record<string, string[]> = { S1: ['U1'], S2: ['U2'] };
  const slack = { isAway: false, lists: 0 };
  const api = {
    usergroups: {
      async list() {
        slack.lists += 1;
        if (slack.isAway) {
          throw new Error('Slack is away');
        }
        const usergroups = [
          { id: 'S1', handle: 'sre' },
          { id: 'S2', handle: 'payments' },
        ];
        return { ok: true, usergroups };
      },
      users: {
        list: async ({ usergroup }: { usergroup: string }) => ({ ok: true, users: members[usergroup] ?? [] }),
        update: async () => ({ ok: true }),
      },
    },
  };
  const known = createResponders({ api, groups, logger: silentLogger, clock: createRealClock(clock.now) });
  return {
    refusal: (slackUserId: string) => known.refusal(slackUserId),
    clock,
    members,
    slack,
  };
}

describe('permission to act', () => {
  it('is given to everybody without groups, and Slack is not called', async () => {
    const { refusal, slack } = responders([]);

    expect(await refusal('U9')).toBeNull();
    expect(slack.lists).toBe(0);
  });

  it('is given to members of any of the groups, which are named by handle or id', async () => {
    const { refusal } = responders(['SRE', 'S2']);

    expect(await refusal('U1')).toBeNull();
    expect(await refusal('U2')).toBeNull();
    expect(await refusal('U9')).toEqual({ kind: 'no-responder', groups: ['@sre', '@payments'] });
  });

  it('is refused to everybody if the group does not exist', async () => {
    const { refusal } = responders(['nobody']);

    expect(await refusal('U1')).toEqual({ kind: 'no-responder', groups: ['@nobody'] });
  });

  it('is looked up again after five minutes, once for concurrent requests', async () => {
    const { refusal, clock, members, slack } = responders(['sre']);
    await refusal('U1');
    members.S1 = ['U3'];

    expect(await refusal('U1')).toBeNull();
    clock.advance(5 * MINUTE_MS);
    const [before, after] = await Promise.all([refusal('U1'), refusal('U3')]);

    expect([before?.kind, after]).toEqual(['no-responder', null]);
    expect(slack.lists).toBe(2);
  });

  it('is refused to everybody once Slack has not listed the members for fifteen minutes', async () => {
    const { refusal, clock, slack } = responders(['sre']);
    await refusal('U1');
    slack.isAway = true;

    clock.advance(14 * MINUTE_MS);
    expect(await refusal('U1')).toBeNull();
    clock.advance(MINUTE_MS);
    expect(await refusal('U1')).toEqual({ kind: 'unverified', groups: ['@sre'] });
    slack.isAway = false;
    expect(await refusal('U1')).toBeNull();
  });
});
