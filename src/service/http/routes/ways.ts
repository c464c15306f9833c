import type { Way } from '../../../contract/waking.ts';
import { NotFoundError } from '../../core/errors.ts';
import type { ShownWay } from '../../on-call/way-control.ts';
import { RequestError } from '../problem.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type WayHandlers = Pick<Handlers, 'listWays' | 'addWay' | 'removeWay' | 'testWay' | 'verifyWay'>;

/** Addresses are shown to those who may change them only: their owners in the dashboard, and read-write keys. Telephone numbers are masked. */
export function createWayHandlers({ waking: { ways }, people }: Pick<RouteDeps, 'waking' | 'people'>): WayHandlers {
  async function getPerson(reference: string): Promise<string> {
    const person = await people.readPerson(reference);
    if (person === null) {
      throw new NotFoundError('person', reference);
    }
    return person.id;
  }

  return {
    async listWays({ id }) {
      return { body: { ways: (await ways.listOf(await getPerson(id))).map(presentWay) } };
    },

    async addWay({ id, body: { kind, address, loud_after_s: loudAfterS, quiet_after_s: quietAfterS } }) {
      const given = { personId: await getPerson(id), kind, address, loudAfterS, quietAfterS };
      const { way, fault, secret } = await ways.add(given);
      const once = secret === null ? {} : { secret };
      return { body: { ...presentWay(way), fault }, once, headers: { location: `/v1/ways/${way.id}` } };
    },

    async removeWay({ id }) {
      await ways.remove(id);
      return { body: null };
    },

    async testWay({ id }) {
      const { way, fault } = await ways.test(id);
      return { body: { ...presentWay(way), fault } };
    },

    async verifyWay({ id, body }) {
      if (!(await ways.verify(id, body.code))) {
        throw new RequestError('wrong-code', 'the code is wrong, or it was tried too often or too late');
      }
      return { body: presentWay(await ways.get(id)) };
    },
  };
}

function presentWay(way: ShownWay): Way {
  return {
    id: way.id,
    person_id: way.personId,
    kind: way.kind,
    address: way.masked,
    loud_after_s: way.loudAfterS,
    quiet_after_s: way.quietAfterS,
    verified_at: way.verifiedAt?.toISOString() ?? null,
    last_answered_at: way.lastAnsweredAt?.toISOString() ?? null,
    unusable_because: way.unusableBecause,
    last_test: way.lastTest && { ...way.lastTest, at: way.lastTest.at.toISOString() },
  };
}
