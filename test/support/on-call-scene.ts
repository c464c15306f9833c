import { z } from 'zod';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import type { TestService } from './test-service.ts';
import { openTables } from './webhook-receiver.ts';

const Made = z.object({ id: z.string() });

/** Two people who take turns, of whom one can be woken, a policy that asks them, and an incident. */
export async function setOnCallScene(tocsin: TestService): Promise<{ schedule: string; policy: string }> {
  const tables = await openTables(tocsin);
  const [people, ways] = [createPeopleStore(tables), createWayStore(tables)];
  const make = async (path: string, body: object) =>
    Made.parse(await (await tocsin.call('POST', path, { body })).json()).id;
  const ids: string[] = [];
  for (const name of ['Ana', 'Ben']) {
    const facts = { name, timeZone: 'Europe/Berlin' };
    ids.push((await people.savePerson(`email:${name.toLowerCase()}@tocsin.test`, facts, tocsin.now()))?.id ?? '');
  }
  const address = { url: 'https://phone.tocsin.test/' };
  const way = { personId: ids[0] ?? '', kind: 'webhook' as const, address, loudAfterS: 0, quietAfterS: null };
  await ways.markVerified((await ways.add(way, tocsin.now())).id, tocsin.now());
  const turns = { people: ids, every: { count: 1, unit: 'week' }, at: '09:00', anchor: '2026-01-05' };
  const schedule = await make('/schedules', { name: 'Payments', time_zone: 'Europe/Berlin', layers: [turns] });
  const steps = [
    { after_s: 0, to: [{ kind: 'schedule', id: schedule }] },
    { after_s: 300, to: [{ kind: 'person', id: ids[0] }] },
  ];
  const policy = await make('/policies', { name: 'Nights', user: 'Ana', steps, hold_s: 0 });
  await tocsin.failIn(['payments']);
  await tocsin.openIncident();
  return { schedule, policy };
}
