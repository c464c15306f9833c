import { expect, it } from 'vitest';
import { type TestStore, withStore } from '../../../test/support/bot-store.ts';
import { claimEffect } from '../../../test/support/claim-effect.ts';
import { ServiceResponseError, ServiceUnreachableError } from '../../client/errors.ts';
import type { Integration } from '../../contract/integrations.ts';
import { createRegistration, createRegistrationKind, REGISTRATION } from './registration.ts';

const IDENTITY = { teamId: 'T1', teamName: 'Acme', appId: 'A1', botUserId: 'U1' };
const slack = (id: string): Integration => ({ id, type: 'slack', status: 'active' });
const LOST = new ServiceUnreachableError('no answer', { call: 'POST', effect: 'unknown', retryable: false });
const AWAY = new ServiceUnreachableError('no answer', { call: 'GET', effect: 'not-sent', retryable: true });
const REFUSED = new ServiceResponseError(403, {}, null, { call: 'POST', effect: 'refused', retryable: false });
const MOST_STEPS = 10;
const AFTER_MS = 5 * 60_000;

/**
 * Registers until it is done, or given up.
 *
 * @param ends how the calls end. Integrations are listed by their type alone. While the service cannot be reached from
 *   here, somebody else creates one.
 */
async function register(
  { store, advance }: TestStore,
  ends: { list?: readonly (Error | null)[]; create: readonly (Error | null)[] },
) {
  const listed: Integration[] = [slack('other')];
  const left = { list: [...(ends.list ?? [])], create: [...ends.create] };
  const end = (error: Error | null | undefined) => {
    if (error) {
      throw error;
    }
  };
  const kind = createRegistrationKind({
    async listIntegrations() {
      end(left.list.shift());
      return [...listed];
    },
    async createIntegration() {
      const error = left.create.shift();
      const made = slack(`${error === AWAY ? "another's" : 'ours'} ${listed.length}`);
      listed.push(made);
      end(error);
      return made;
    },
  });
  const start = () => createRegistration({ store, serviceId: 'http://service.test/v1', identity: () => IDENTITY });
  const registration = start();
  await registration.keep(IDENTITY);
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const effect = await claimEffect(store.effects, [REGISTRATION]);
    if (effect === null) {
      break;
    }
    const result = await kind
      .carryOut(effect, () => store.effects.begin(effect), new AbortController().signal)
      .catch((error: unknown) => kind.endOf(effect, error));
    await (result && store.effects.end(effect, result));
    await advance(AFTER_MS);
  }
  return {
    id: await store.installation.integrationId(),
    made: listed.slice(1).map(({ id }) => id),
    problem: await registration.problem(),
    start,
  };
}

it('is made once, however many processes start', () =>
  withStore(async (test) => {
    const first = await register(test, { create: [null] });
    const second = await register(test, { create: [null] });

    expect([first.id, first.made, second.id, second.made]).toEqual(['ours 1', ['ours 1'], 'ours 1', []]);
  }));

it('finds what it created when the answer is lost', () =>
  withStore(async (test) => {
    expect(await register(test, { create: [LOST] })).toMatchObject({ id: 'ours 1', made: ['ours 1'], problem: null });
  }));

it('finds it also when the list can be read only later', () =>
  withStore(async (test) => {
    const { id, made } = await register(test, { list: [null, null, AWAY, AWAY], create: [LOST] });

    expect({ id, made }).toEqual({ id: 'ours 1', made: ['ours 1'] });
  }));

it('ignores what others created while the service was unreachable', () =>
  withStore(async (test) => {
    const { id, made } = await register(test, { create: [AWAY, null] });

    expect({ id, made }).toEqual({ id: 'ours 2', made: ["another's 1", 'ours 2'] });
  }));

it('tells what to do when it is refused, and is tried again at the next start', () =>
  withStore(async (test) => {
    const refused = await register(test, { create: [REFUSED] });
    const again = await register(test, { create: [null] });

    expect(refused.problem).toMatch(/status 403.*Set INCIDENTS_API_KEY to a read-write key/);
    expect(again).toMatchObject({ id: 'ours 1', problem: null });
  }));

it('says that it is tried again while the service is away', () =>
  withStore(async (test) => {
    const { id, problem } = await register(test, { create: Array.from({ length: MOST_STEPS }, () => AWAY) });

    expect([id, problem]).toEqual([null, expect.stringContaining('retrying')]);
  }));
