import { expect, it } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { signIn } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const TYPED = { title: 'cards are refused', service: 'payments', severity: 'critical', note: 'since <noon>' };

async function list(tocsin: TestService): Promise<IncidentList['incidents']> {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents;
}

it('declares an incident once, however often the form is sent, and leads to its page', async () => {
  await using tocsin = await startTestService();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  const page = await (await ana.visit('/incidents/declare')).text();
  const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? '';

  const first = await ana.visit('/incidents/declare', { form: { ...TYPED, once } });
  const again = await ana.visit('/incidents/declare', { form: { ...TYPED, once } });

  expect([first.status, again.status]).toEqual([303, 303]);
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expect(await list(tocsin)).toMatchObject([{ title: TYPED.title, severity: 'critical', declared_by: 'ana' }]);
  const shown = await (await ana.visit((first.headers.get('location') ?? '').replace('/dashboard', ''))).text();
  expect(shown).toContain('since &lt;noon&gt;');
  expect(shown).not.toContain('Found '); // only the declaration says what fails
});

it('keeps what was typed if it cannot be declared, and refuses viewers', async () => {
  await using tocsin = await startTestService();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  const viewer = await signIn(tocsin, tocsin.readOnlyKey, 'ben');

  const refused = await ana.visit('/incidents/declare', { form: { ...TYPED, title: 'x'.repeat(201) } });
  const forbidden = await viewer.visit('/incidents/declare', { form: TYPED });

  expect([refused.status, forbidden.status]).toEqual([422, 403]);
  expect(await refused.text()).toContain('since &lt;noon&gt;');
  expect(await list(tocsin)).toEqual([]);
});

it('sets fields by hand and goes back to what is found', async () => {
  await using tocsin = await startTestService();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  await tocsin.failIn(['payments']);
  const { number, title } = await tocsin.openIncident();
  const read = async () => Incident.parse(await (await tocsin.call('GET', `/incidents/${number}`)).json());
  const nothing = { title: '', severity: '', root_service: '', lead: '', communications: '' };

  await ana.visit(`/incidents/${number}/change`, {
    form: { ...nothing, title: 'Nobody can pay', root_service: 'checkout', lead: 'ben' },
  });
  const changed = await read();
  const page = await (await ana.visit(`/incidents/${number}`)).text();
  await ana.visit(`/incidents/${number}/change`, { form: nothing });

  expect(changed).toMatchObject({
    title: 'Nobody can pay',
    lead: 'ben',
    detected: { title, root_service: 'payments' },
  });
  expect(page).toContain('Nobody can pay');
  expect(page).toContain('Found title');
  expect(page).toContain('<dt>Root, set by hand</dt>');
  expect(await read()).toMatchObject({ title, lead: null, detected: {} });
});

it('sets only what was changed in the form, whatever others have set since it was shown', async () => {
  await using tocsin = await startTestService();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  await tocsin.failIn(['payments']);
  const { number } = await tocsin.openIncident();
  const set = (fields: object) => tocsin.call('PATCH', `/incidents/${number}`, { body: { user: 'ben', ...fields } });
  await set({ lead: 'ben', communications: 'carol' });
  const page = await (await ana.visit(`/incidents/${number}`)).text();
  const was = /name="was" value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';

  await set({ lead: 'dora', severity: 'critical' });
  const form = { title: 'Nobody can pay', severity: '', root_service: '', lead: 'ben', communications: '', was };
  const { status } = await ana.visit(`/incidents/${number}/change`, { form });

  expect(status).toBe(303);
  expect(Incident.parse(await (await tocsin.call('GET', `/incidents/${number}`)).json())).toMatchObject({
    title: 'Nobody can pay',
    severity: 'critical',
    lead: 'dora',
    communications: null,
  });
});
