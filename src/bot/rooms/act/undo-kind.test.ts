import { expect, it } from 'vitest';
import { silentLogger } from '../../../../test/support/logger.ts';
import { ServiceResponseError } from '../../../client/errors.ts';
import type { Incident } from '../../../contract/resources.ts';
import { perform } from '../../actions/action-effect.ts';
import type { Kinds } from '../../actions/kind.ts';
import { ACTION_DEFINITIONS } from '../../features.ts';
import { createUnacknowledgeKind } from './undo-kind.ts';

const AT = '2026-01-31T08:00:00.000Z';

const acknowledged = (by: string, at: string): Incident => ({
  id: 'inc_1',
  status: 'open',
  signal_count: 3,
  root_service: 'payments',
  opened_at: AT,
  acknowledged_by: by,
  acknowledged_at: at,
});

const ASKED = {
  incidentId: 'inc_1',
  slackUserId: 'U1',
  channelId: null,
  origin: 'action_undo',
  userName: 'ana',
  attempts: 0,
  keptAt: new Date(AT),
} as const;
const action = { ...ASKED, id: 'a2', kind: 'unacknowledge', undoes: 'a1' } as const;

/** Undoes the acknowledgement at a service that shows these incidents one after the other and refuses all tags but the last. */
async function undo(...shown: Incident[]) {
  const sent: unknown[] = [];
  let reads = 0;
  const kind = createUnacknowledgeKind({
    service: {
      async unacknowledgeIncident(_id, { ifMatch }) {
        sent.push(ifMatch);
        if (ifMatch !== null && ifMatch !== `"${Math.max(2, shown.length)}"`) {
          const ending = { call: 'POST /', effect: 'refused', retryable: false } as const;
          throw new ServiceResponseError(412, { status: 412 }, null, ending);
        }
        return { ...acknowledged('ana', AT), acknowledged: false, acknowledged_by: null, acknowledged_at: null };
      },
      reopenIncident: () => Promise.reject(new Error('not asked for')),
    },
    store: {
      actions: {
        findSettled: async () => ({
          action: { ...ASKED, id: 'a1', kind: 'acknowledge' },
          outcome: 'done',
          effectAt: new Date(AT),
          ageMs: 1_000,
        }),
      },
    },
    incidents: {
      read: async () => {
        const incident = shown[reads] ?? null;
        reads += 1;
        return { incident, stored: null, etag: `"${reads}"`, readAt: new Date(AT) };
      },
      readAgain: async () => null,
      observe: async () => null,
    },
    now: () => new Date(AT),
  });
  const outcome = await perform(action, 0, {
    kinds: { unacknowledge: kind } as Kinds, // the others are not asked
    definitions: ACTION_DEFINITIONS,
    store: {
      setUserName: async () => undefined,
      standing: async () => [],
      settle: async () => true,
      postpone: async () => true,
    },
    people: { find: async () => ({ name: 'ana', userId: 'slack:U1', standing: 'member' }), refusal: async () => null },
    answerOf: () => ({ text: '', blocks: [] }),
    retryMs: () => 0,
    logger: silentLogger,
  });
  return { outcome, sent };
}

it('is repeated if only a signal came between reading and writing', async () => {
  const { outcome, sent } = await undo(acknowledged('ana', AT), acknowledged('ana', AT));

  expect(outcome).toMatchObject({ kind: 'done' });
  expect(sent).toEqual(['"1"', '"2"']);
});

it('is done at last if signals always come between reading and writing', async () => {
  const { outcome, sent } = await undo(...Array.from({ length: 9 }, () => acknowledged('ana', AT)));

  expect(outcome).toMatchObject({ kind: 'done' });
  expect(sent).toEqual(['"1"', '"2"', '"3"', '"4"', null]);
});

it('changes nothing if somebody else acknowledged between reading and writing', async () => {
  const { outcome, sent } = await undo(acknowledged('ana', AT), acknowledged('ben', '2026-01-31T08:01:00.000Z'));

  expect(outcome).toMatchObject({ kind: 'refused', reason: { kind: 'undo-overtaken' } });
  expect(sent).toEqual(['"1"']);
});
