import fc from 'fast-check';
import { createAnswerCheck } from '../../../test/support/fuzz/answers.ts';
import { listOperations, parseDescription } from '../../../test/support/fuzz/operations.ts';
import { type KeyKind, ROUTING_KEY, requestsTo } from '../../../test/support/fuzz/requests.ts';
import { type Attack, defineAttack } from '../attack.ts';
import type { Target } from '../target.ts';

const REQUESTS_PER_OPERATION = 250;

/** The fuzz of the contract, over HTTP and with another seed each time. */
async function fuzz(target: Target) {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const keys: Readonly<Record<KeyKind, string | null>> = {
    none: null,
    wrong: target.keys.unknown,
    malformed: 'tcn_rw_short',
    revoked: target.keys.revoked,
    ingest: target.keys.ingest,
    'read-only': target.keys.readOnly,
    'read-write': target.keys.readWrite,
  };
  const document = await (await target.call('GET', '/v1/openapi.json', { key: null })).json();
  const description = parseDescription(document);
  const check = createAnswerCheck(description);
  let count = 0;
  const faults: string[] = [];
  for (const operation of listOperations(description)) {
    const requests = fc.sample(requestsTo(operation, description, ['1', '2']), {
      seed,
      numRuns: REQUESTS_PER_OPERATION,
    });
    for (const request of requests) {
      const { method, target: path, headers, body } = request;
      const key = keys[request.key];
      const sent = typeof body === 'string' ? body.replace(ROUTING_KEY, key ?? '') : body;
      const answer = await target.call(method, path, {
        key,
        headers,
        ...(sent === null ? {} : { body: typeof sent === 'string' ? sent : Uint8Array.from(sent) }),
      });
      count += 1;
      faults.push(...(await check(request, answer)).map((fault) => `${operation.id} ${fault}`));
    }
  }
  return { seed, count, faults };
}

export const mutationAttacks: readonly Attack[] = [
  defineAttack({
    name: 'mutated requests for every operation and kind of key',
    isQuick: false,
    run: fuzz,
    describe: ({ seed, count, faults }) =>
      `${count} (seed ${seed}), ${faults.length} not as documented ${faults[0] ?? ''}`,
    isHeld: ({ faults }) => faults.length === 0,
  }),
];
