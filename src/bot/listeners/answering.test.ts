import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { ANSWERS } from '../../../test/support/outcome-answers.ts';
import type { Action, ActionRequest, Outcome } from '../actions/action.ts';
import type { Kept } from '../actions/action-store.ts';
import { keepThenSend } from './answering.ts';

const REQUEST: ActionRequest<'acknowledge'> = {
  source: 'V1',
  kind: 'acknowledge',
  incidentId: 'inc_1',
  slackUserId: 'U1',
  channelId: 'C1',
  origin: 'incident_acknowledge',
};
const ACTION: Action = { ...REQUEST, id: 'a', userName: 'ana', attempts: 0, keptAt: new Date(0) };
const ASKER = { slackUserId: 'U1', channelId: 'C1', what: 'acknowledge' };

const KEPT: Outcome = { kind: 'kept', action: ACTION, reason: 'unreachable' };
const REFUSED: Outcome = { kind: 'refused', action: ACTION, reason: { kind: 'not-offered' } };

/** Runs `keepThenSend` and records the order of its effects. @param broken the call that the database refuses */
async function keepAndSend(
  keep: () => Promise<Kept>,
  broken: 'send' | 'markAnswered' | null = null,
  outcome: Outcome = REFUSED,
) {
  const order: string[] = [];
  const answers: string[] = [];
  const refuse = () => Promise.reject(new Error('the database is away'));
  const note = async (what: string) => void order.push(what);
  const actions = {
    answers: ANSWERS,
    keep,
    async send() {
      await note('sent');
      await (broken === 'send' ? refuse() : undefined);
      return outcome;
    },
    markAnswered: () => (broken === 'markAnswered' ? refuse() : note('marked as answered')),
    tellDirectly: () => note('told by a direct message'),
  };
  const people = {
    find: async () => ({ name: 'ana', userId: 'slack:U1', standing: 'member' }) as const,
    noteTeam: () => undefined,
    cached: () => null,
    findByEmail: async () => null,
    findByHandle: async () => null,
    refusal: async () => null,
    notify: () => note('told in another way'),
  };
  const failure = await keepThenSend({ actions, people, logger: silentLogger }, REQUEST, ASKER, {
    ack: () => note('acknowledged'),
    respond: async (message) => {
      await note('answered');
      answers.push(String(Reflect.get(Object(message), 'text')));
      return new Response();
    },
  }).then(
    () => null,
    (error: unknown) => error,
  );
  return { order, failure, answers };
}

describe('a request that must not be lost', () => {
  it('is acknowledged once it is kept, and before it is sent', async () => {
    const { order } = await keepAndSend(async () => ({ kind: 'new', action: ACTION }));

    expect(order).toEqual(['acknowledged', 'sent', 'answered', 'marked as answered']);
  });

  it('is acknowledged but not sent again when it came before', async () => {
    const { order } = await keepAndSend(async () => ({ kind: 'repeated', note: null }));

    expect(order).toEqual(['acknowledged']);
  });

  it('is not marked as answered when it is saved for later, because its outcome may be stored meanwhile', async () => {
    const { order } = await keepAndSend(async () => ({ kind: 'new', action: ACTION }), null, KEPT);

    expect(order).toEqual(['acknowledged', 'sent', 'answered']);
  });

  it('is said to be saved when it fails after it was kept, because it will be done', async () => {
    const { order, answers } = await keepAndSend(async () => ({ kind: 'new', action: ACTION }), 'send');

    expect(order).toEqual(['acknowledged', 'sent', 'answered']);
    expect(answers).toEqual([expect.stringMatching(/Your acknowledgement is saved, and I'll retry/)]);
  });

  it('is answered once when the answer cannot be marked as given', async () => {
    const { order, answers } = await keepAndSend(async () => ({ kind: 'new', action: ACTION }), 'markAnswered');

    expect(order).toEqual(['acknowledged', 'sent', 'answered']);
    expect(answers).toEqual([expect.stringContaining('does not offer this')]);
  });

  it('is not acknowledged when it cannot be kept', async () => {
    const { order, failure } = await keepAndSend(() => Promise.reject(new Error('the database is away')));

    expect(order).toEqual([]);
    expect(failure).toMatchObject({ message: 'the database is away' });
  });
});
