import { addHours } from 'date-fns/addHours';
import { z } from 'zod';

const Made = z.object({ id: z.string() });

/** Calls the operations of people, schedules and waking. @returns the statuses that were no success */
export async function useOnCall(baseUrl: string, apiKey: string, hook: string): Promise<number[]> {
  const refused: number[] = [];
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) {
      refused.push(response.status);
    }
    return response.status === 204 ? null : response.json();
  };
  const make = async (...given: Parameters<typeof call>) => Made.parse(await call(...given)).id;
  const [from, to] = [new Date(), addHours(new Date(), 2)].map((at) => at.toISOString());

  const ana = await make('PUT', '/people/slack:U1', { name: 'Ana' });
  const ben = await make('PUT', '/people/slack:U2', { name: 'Ben' });
  await call('GET', '/people');
  await call('GET', `/people/${ana}`);

  const turns = { every: { count: 1, unit: 'week' }, at: '09:00', anchor: '2026-01-05' };
  const plan = { name: 'Payments', time_zone: 'Europe/Berlin', layers: [{ people: [ana, ben], ...turns }] };
  const schedule = await make('POST', '/schedules', plan);
  const at = `/schedules/${schedule}`;
  await call('GET', '/schedules');
  await call('GET', at);
  await call('POST', `${at}/preview`, plan);
  await call('PUT', at, plan);
  await call('GET', `${at}/shifts?from=${from}&to=${to}`);
  await call('GET', `${at}/gaps`);
  await call('PUT', `${at}/slack-group`, { group: { id: 'S1', direction: 'read' }, people: [ana, ben] });
  await call('PUT', `${at}/calendar`, { url: 'https://calendar.example/secret.ics' });
  await call('POST', `${at}/calendar/reload`);
  const feed = await make('POST', `${at}/feeds`);
  await call('GET', `${at}/feeds`);
  await call('DELETE', `/feeds/${feed}`);
  await call('DELETE', `/overrides/${await make('POST', `${at}/overrides`, { to, person: ben })}`);
  const swap = await make('POST', `${at}/swaps`, { asker: ana, to });
  await call('GET', `${at}/swaps`);
  await call('POST', `/swaps/${swap}/answer`, { answer: 'withdrawn' });

  const way = await make('POST', `/people/${ana}/ways`, { kind: 'webhook', address: hook });
  await call('GET', `/people/${ana}/ways`);
  await call('POST', `/ways/${way}/test`);
  await call('POST', `/ways/${way}/verify`, { code: '000000' });
  const steps = [{ after_s: 0, to: [{ kind: 'schedule', id: schedule }] }];
  const policy = await make('POST', '/policies', { name: 'Everything', steps, user: 'ana' });
  await call('GET', '/policies');
  await call('POST', '/policies/dry-run', { name: 'Everything', steps, replaces: policy });
  await call('PATCH', `/policies/${policy}`, { name: 'All', steps, user: 'ana' });
  await call('POST', `/policies/${policy}/drill`);
  await call('GET', '/pages');
  await call('POST', '/pages/test/attempts/none/report', { state: 'accepted' });
  await call('GET', '/incidents/1/pages');
  await call('GET', '/on-call?service=payments');
  await call('DELETE', `/ways/${way}`);
  await call('DELETE', `/policies/${policy}`);
  await call('DELETE', at);
  return refused;
}
