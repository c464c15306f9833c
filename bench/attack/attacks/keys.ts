import { listOperations, type Operation, parseDescription } from '../../../test/support/fuzz/operations.ts';
import { type Attack, defineAttack } from '../attack.ts';
import type { Target } from '../target.ts';

/** An operation that answered otherwise than expected. */
interface Leak {
  readonly operation: string;
  readonly status: number;
}

interface Seen {
  readonly tried: number;
  readonly leaks: readonly Leak[];
}

/** Calls operations with keys and expects one status of all. */
async function tryKeys(
  target: Target,
  keys: readonly (string | null)[],
  isTried: (operation: Operation) => boolean,
  expected: number,
): Promise<Seen> {
  const document = await (await target.call('GET', '/v1/openapi.json', { key: null })).json();
  const operations = listOperations(parseDescription(document)).filter(
    (operation) => !operation.isPublic && isTried(operation),
  );
  const leaks: Leak[] = [];
  for (const key of keys) {
    for (const { id, method, path, body } of operations) {
      const answer = await target.call(method, path.replaceAll(/\{\w+\}/g, '1'), {
        key,
        ...(body === null ? {} : { body: '{}' }),
      });
      await answer.body?.cancel();
      if (answer.status !== expected) {
        leaks.push({ operation: id, status: answer.status });
      }
    }
  }
  return { tried: keys.length * operations.length, leaks };
}

const isIngest = ({ id }: Operation) => id.startsWith('send');
const isChange = ({ method }: Operation) => method !== 'GET';

function describe({ tried, leaks }: Seen, expected: number): string {
  const [leak] = leaks;
  return leak === undefined
    ? `${tried} requests, all ${expected}`
    : `${leaks.length} of ${tried} leak: ${leak.operation} ${leak.status}`;
}

const isTight = ({ tried, leaks }: Seen) => tried > 0 && leaks.length === 0;

export const keyAttacks: readonly Attack[] = [
  defineAttack({
    name: 'no key, an unknown, a malformed and a revoked key on every operation',
    isQuick: true,
    run: (target) => tryKeys(target, [null, target.keys.unknown, 'tcn_rw_short', target.keys.revoked], () => true, 401),
    describe: (seen) => describe(seen, 401),
    isHeld: isTight,
  }),
  defineAttack({
    name: 'an ingest key on every operation that reads or changes',
    isQuick: true,
    run: (target) => tryKeys(target, [target.keys.ingest], (operation) => !isIngest(operation), 403),
    describe: (seen) => describe(seen, 403),
    isHeld: isTight,
  }),
  defineAttack({
    name: 'a read-only key on every operation that changes or sends',
    isQuick: true,
    run: (target) => tryKeys(target, [target.keys.readOnly], isChange, 403),
    describe: (seen) => describe(seen, 403),
    isHeld: isTight,
  }),
  defineAttack({
    name: 'a read-write key in an address, where logs would keep it',
    isQuick: true,
    run: (target) => target.call('POST', `/v1/generic?token=${target.keys.readWrite}`, { key: null, body: '{}' }),
    describe: ({ status }) => String(status),
    isHeld: ({ status }) => status === 403,
  }),
  defineAttack({
    name: 'an ingest, an unknown and a revoked key on the dashboard',
    isQuick: true,
    async run(target) {
      const { ingest, unknown, revoked } = target.keys;
      const answers = await Promise.all([ingest, unknown, revoked].map((key) => target.visit('/incidents', { key })));
      return answers.map(({ status }) => status);
    },
    describe: (statuses) => statuses.join(', '),
    isHeld: (statuses) => statuses.every((status) => status === 302),
  }),
  defineAttack({
    name: 'a read-only key that creates and revokes keys on the dashboard',
    isQuick: true,
    async run(target) {
      const form = { name: 'stolen', scope: 'read-write' };
      const created = await target.visit('/settings/api-keys', { key: target.keys.readOnly, form });
      const revoked = await target.visit('/settings/api-keys/key_1/revoke', { key: target.keys.readOnly, form: {} });
      return [created.status, revoked.status];
    },
    describe: (statuses) => statuses.join(', '),
    isHeld: (statuses) => statuses.every((status) => status === 403),
  }),
];
