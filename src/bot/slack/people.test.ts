import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createRealClock } from '../../runtime/clock.ts';
import type { SlackApi } from './methods.ts';
import { createPeople } from './people.ts';

interface Member {
  readonly id: string;
  readonly name: string;
  readonly deleted?: boolean;
}

/** People of a workspace whose members Slack lists a thousand at a time. */
function peopleAmong(members: readonly Member[]) {
  const list = async ({ limit, cursor }: { limit: number; cursor: string }) => {
    const from = Number(cursor);
    const next = from + limit < members.length ? String(from + limit) : '';
    return { members: members.slice(from, from + limit), response_metadata: { next_cursor: next } };
  };
  return createPeople({
    api: { users: { list } } as unknown as SlackApi, // nothing else is called
    store: { find: async () => null, save: async () => undefined },
    teamId: () => 'T1',
    responders: { refusal: async () => null },
    logger: silentLogger,
    clock: createRealClock(() => new Date()),
  });
}

const others = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => ({ id: `U${index}`, name: `person-${index}` }));
const ben: Member = { id: 'U0BEN', name: 'ben' };

describe('a name that somebody typed', () => {
  it('is that of the only person in the workspace who is called so', async () => {
    const people = peopleAmong([...others(6_500), ben, { id: 'U0OLD', name: 'ben', deleted: true }]);

    expect(await people.findByHandle('@Ben')).toBe('U0BEN');
  });

  it('is nobody’s if two people are called so, however far apart', async () => {
    const people = peopleAmong([ben, ...others(6_500), { id: 'U0OTHER', name: 'ben' }]);

    expect(await people.findByHandle('@ben')).toBeNull();
  });

  it('is nobody’s if there are more people than can be compared', async () => {
    const people = peopleAmong([ben, ...others(30_000)]);

    expect(await people.findByHandle('@ben')).toBeNull();
  });
});
