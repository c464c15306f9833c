import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { ServiceUnreachableError } from '../../client/errors.ts';
import type { Integration } from '../../contract/resources.ts';
import { createRegistration } from './registration.ts';

const IDENTITY = { teamId: 'T1', teamName: 'Acme', appId: 'A1', botUserId: 'U1' };
const slack = (id: string): Integration => ({ id, type: 'slack', status: 'active' });
const LOST = new ServiceUnreachableError('no answer', { call: 'POST', outcome: 'unknown', retryable: false });
const AWAY = new ServiceUnreachableError('no answer', { call: 'GET', outcome: 'not-sent', retryable: true });
const MAX_STEPS = 10;

/**
 * A registration whose waits are over at once.
 *
 * @param steps how the calls end. Integrations are listed by their type alone; while the service is away for us, it makes
 *   another's.
 */
async function register(steps: { list?: readonly (Error | null)[]; create: readonly (Error | null)[] }) {
  const listed: Integration[] = [slack('other')];
  const kept: (string | null)[] = [];
  const pausesMs: number[] = [];
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
  const isOver = Promise.withResolvers<void>();
  await using registration = createRegistration({
    service,
    serviceId: 'http://service.test/v1',
    registrations: { once: async (_key, make) => void kept.push(await make()) },
    identity: () => IDENTITY,
    logger: silentLogger,
    clock: {
      now: () => new Date(),
      after(ms, work) {
        pausesMs.push(ms);
        if (kept.length > 0 || pausesMs.length === MAX_STEPS) {
          isOver.resolve();
        } else {
          setImmediate(work);
        }
        return () => undefined;
      },
    },
  });
  registration.start();
  await isOver.promise;
  return { kept, made: listed.slice(1).map(({ id }) => id), pausesMs, problem: registration.problem() };
}

it('takes what it made when the answer is lost', async () => {
  expect(await register({ create: [LOST] })).toMatchObject({ kept: ['ours 1'], made: ['ours 1'], problem: null });
});

it('takes it also when the service can be asked only later', async () => {
  const { kept, made } = await register({ list: [null, AWAY, AWAY], create: [LOST] });

  expect({ kept, made }).toEqual({ kept: ['ours 1'], made: ['ours 1'] });
});

it('does not take what others made while the service was away', async () => {
  const { kept, made } = await register({ create: [AWAY, null] });

  expect({ kept, made }).toEqual({ kept: ['ours 2'], made: ["another's 1", 'ours 2'] });
});

it('leaves the service alone for longer after each failure, up to minutes', async () => {
  const { pausesMs } = await register({ create: Array.from({ length: MAX_STEPS }, () => AWAY) });

  expect(pausesMs.map((ms) => ms / 1_000)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 300]);
});
