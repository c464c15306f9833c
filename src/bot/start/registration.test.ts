import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { ServiceUnreachableError } from '../../client/errors.ts';
import type { Integration } from '../../contract/integrations.ts';
import { NEVER_MS } from '../../runtime/loop.ts';
import { createRegistration } from './registration.ts';

const IDENTITY = { teamId: 'T1', teamName: 'Acme', appId: 'A1', botUserId: 'U1' };
const slack = (id: string): Integration => ({ id, type: 'slack', status: 'active' });
const LOST = new ServiceUnreachableError('no answer', { call: 'POST', effect: 'unknown', retryable: false });
const AWAY = new ServiceUnreachableError('no answer', { call: 'GET', effect: 'not-sent', retryable: true });
const MAX_STEPS = 10;

/**
 * Runs a registration until it is done, without its delays.
 *
 * @param steps how the calls end. Integrations are listed by their type alone. While the service cannot be reached from
 *   here, somebody else creates one.
 */
async function register(steps: { list?: readonly (Error | null)[]; create: readonly (Error | null)[] }) {
  const listed: Integration[] = [slack('other')];
  const kept: (string | null)[] = [];
  const delaysMs: number[] = [];
  const ends = { list: [...(steps.list ?? [])], create: [...steps.create] };
  const end = (error: Error | null | undefined) => {
    if (error) {
      throw error;
    }
  };
  const service = {
    async listIntegrations() {
      end(ends.list.shift());
      return [...listed];
    },
    async createIntegration() {
      const error = ends.create.shift();
      const made = slack(`${error === AWAY ? "another's" : 'ours'} ${listed.length}`);
      listed.push(made);
      end(error);
      return made;
    },
  };
  const registration = createRegistration({
    service,
    serviceId: 'http://service.test/v1',
    installation: { registerOnce: async (_key, make) => void kept.push(await make()) },
    logger: silentLogger,
  });
  while (delaysMs.length < MAX_STEPS && delaysMs.at(-1) !== NEVER_MS) {
    delaysMs.push(await registration.run(IDENTITY));
  }
  return { kept, made: listed.slice(1).map(({ id }) => id), delaysMs, problem: registration.problem() };
}

it('finds what it created when the answer is lost', async () => {
  expect(await register({ create: [LOST] })).toMatchObject({ kept: ['ours 1'], made: ['ours 1'], problem: null });
});

it('finds it also when the list can be read only later', async () => {
  const { kept, made } = await register({ list: [null, AWAY, AWAY], create: [LOST] });

  expect({ kept, made }).toEqual({ kept: ['ours 1'], made: ['ours 1'] });
});

it('ignores what others created while the service was unreachable', async () => {
  const { kept, made } = await register({ create: [AWAY, null] });

  expect({ kept, made }).toEqual({ kept: ['ours 2'], made: ["another's 1", 'ours 2'] });
});

it('doubles its delay after each failure, up to five minutes', async () => {
  const { delaysMs } = await register({ create: Array.from({ length: MAX_STEPS }, () => AWAY) });

  expect(delaysMs.map((ms) => ms / 1_000)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
});
