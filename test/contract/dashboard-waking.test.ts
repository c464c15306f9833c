import { expect, it } from 'vitest';
import { PolicyList } from '../../src/contract/waking.ts';
import { cookieOf, signIn, stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { startWakingTeam, type WakingTeam } from '../support/waking-team.ts';
import { openIncidentOf } from '../support/webhook-receiver.ts';

/** Somebody who signed in by a link, as from Slack. */
async function signInAs(team: WakingTeam, name: string, role: 'viewer' | 'responder'): Promise<Visitor> {
  const body = { user: name, user_id: `email:${name}@tocsin.test`, name, role };
  const link = await team.tocsin.call('POST', '/sign-in-links', { body });
  const { url } = Object(await link.json());
  const path = new URL(String(url)).pathname.replace('/dashboard', '');
  return visitorWith(team.tocsin, cookieOf(await stranger(team.tocsin).visit(path, { form: {} })));
}

const textOf = async (visitor: Visitor, path: string) => (await visitor.visit(path)).text();

it('lets people add, prove, test and remove their own ways, and no others', async () => {
  await using team = await startWakingTeam();
  const [ana, ben] = [await signInAs(team, 'ana', 'viewer'), await signInAs(team, 'ben', 'responder')];
  const form = { kind: 'email', address: 'ana.private@tocsin.test', loud: '0', quiet: '' };

  await ana.visit('/settings/ways', { form });
  const [mail] = await team.mail.take(1);
  const before = await textOf(ana, '/settings/ways');
  const [, way = ''] = /action="\/dashboard(\/settings\/ways\/[^"]+)\/verify"/.exec(before) ?? [];
  const wrong = await ana.visit(`${way}/verify`, { form: { code: '000000' } });
  const foreign = await ben.visit(`${way}/remove`, { form: {} });
  await ana.visit(`${way}/verify`, { form: { code: /Subject: (\d{6})/.exec(mail?.text ?? '')?.[1] ?? '' } });
  const proved = await textOf(ana, '/settings/ways');
  await ana.visit(`${way}/test`, { form: {} });
  const [, test] = await team.mail.take(2);
  await ana.visit(`${way}/remove`, { form: {} });

  expect([wrong.status, foreign.status]).toEqual([422, 403]);
  expect(before).toContain('ana.private@tocsin.test');
  expect(proved).toMatch(/Answered <time/);
  expect(test?.text).toContain('I have it: http://tocsin.test:3000/dashboard/answer/attempt_');
  expect(await textOf(ben, '/settings/ways')).not.toContain('ana.private');
  expect(await textOf(ana, '/settings/ways')).not.toContain('ana.private');
});

it('says what an address must be, and keeps what was typed', async () => {
  await using team = await startWakingTeam();
  const ana = await signInAs(team, 'ana', 'responder');

  const refused = await ana.visit('/settings/ways', {
    form: { kind: 'slack', address: '@ana', loud: '60', quiet: '' },
  });
  const page = await refused.text();

  expect(refused.status).toBe(422);
  expect(page).toContain('Slack needs your Slack id, such as U012AB3CD.');
  expect(page).toContain('value="@ana"');
  expect(page).toMatch(/<option value="slack" selected/);
});

it('refuses a policy whose labels match nothing', async () => {
  await using team = await startWakingTeam();
  const admin = await signIn(team.tocsin, team.tocsin.readWriteKey);
  const ana = await team.addPerson('Ana');
  const policy = { name: 'Night', severity: '', hold: '0', last: '', whom1: `person:${ana}` };
  const make = async (what: string) => {
    const answer = await admin.visit('/settings/policies', { form: { ...policy, what } });
    return [answer.status, /role="alert">(?:<[^>]+>)*([^<]*)/.exec(await answer.text())?.[1]];
  };

  const help =
    'must be labels such as team:payments, env:prod*: team, env, cluster, namespace, region or service, with * for any text';
  expect(await make('team:')).toEqual([422, `The filter ${help}.`]);
  expect(await make('service:payments, Team: Billing')).toEqual([303, undefined]);
  const { policies } = PolicyList.parse(await (await team.tocsin.call('GET', '/policies')).json());
  expect(policies[0]?.filter).toMatchObject({ services: ['payments'], labels: ['team:Billing'] });
  expect(await make('')).toEqual([422, 'Not done: there is a policy Night already.']);
});

it('lets admins make a policy by a form, ask whom it wakes, and delete it', async () => {
  await using team = await startWakingTeam();
  const admin = await signIn(team.tocsin, team.tocsin.readWriteKey);
  const viewer = await signIn(team.tocsin, team.tocsin.readOnlyKey);
  const ana = await team.addPerson('Ana');
  await team.addEmail(ana);
  const schedule = await team.addEmptySchedule('Payments');
  const form = {
    name: 'Night',
    what: 'pay*, team:billing',
    severity: 'critical,error',
    hold: '60',
    last: '',
    whom1: `schedule:${schedule}`,
    whom2: `person:${ana}`,
    wait2: '300',
    whom3: '',
  };

  const refused = await viewer.visit('/settings/policies', { form });
  const incomplete = await admin.visit('/settings/policies', { form: { ...form, whom1: '', whom2: '' } });
  const made = await admin.visit('/settings/policies', { form });
  const { policies } = PolicyList.parse(await (await team.tocsin.call('GET', '/policies')).json());
  const asked = await textOf(viewer, '/settings/policies?service=payments');
  await admin.visit(`/settings/policies/${policies[0]?.id}/delete`, { form: {} });

  expect([refused.status, incomplete.status, made.status]).toEqual([403, 422, 303]);
  expect(policies).toMatchObject([
    {
      filter: { services: ['pay*'], labels: ['team:billing'], severities: ['critical', 'error'] },
      steps: [
        { after_s: 0, to: [{ kind: 'schedule', id: schedule }] },
        { after_s: 300, to: [{ kind: 'person', id: ana }] },
      ],
      hold_s: 60,
    },
  ]);
  expect(asked).toContain('nobody is on call in Payments');
  expect(asked).toContain('named by the policy');
  expect(await textOf(admin, '/settings/policies')).toContain('No policy: nobody is woken.');
});

it('says on the page of policies why an installation is no pager', async () => {
  await using team = await startWakingTeam();
  const viewer = await signIn(team.tocsin, team.tocsin.readOnlyKey);

  const page = await textOf(viewer, '/settings/policies');

  expect(page).toContain('As it runs here, Tocsin is no pager for the night.');
  expect(page).toContain('HEARTBEAT_URL is not set');
  expect(page).not.toContain('embedded database');
});

it('shows whom a policy would have woken, before it is made and afterwards', async () => {
  await using team = await startWakingTeam();
  const [admin, viewer] = [
    await signIn(team.tocsin, team.tocsin.readWriteKey),
    await signIn(team.tocsin, team.tocsin.readOnlyKey),
  ];
  const ana = await team.addPerson('Ana');
  await team.addEmail(ana);
  await openIncidentOf(team.tocsin, 'payments');
  const form = {
    name: 'Night',
    what: 'pay*',
    severity: '',
    hold: '0',
    last: '',
    whom1: `person:${ana}`,
    whom2: '',
    whom3: '',
  };

  const tried = await (await admin.visit('/settings/policies', { form: { ...form, do: 'dry-run' } })).text();
  const nothingMade = await textOf(admin, '/settings/policies');
  const policy = await team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'person', id: ana }] }] });
  const shown = await textOf(viewer, `/settings/policies?dry-run=${policy}`);
  const answer = await team.tocsin.call('POST', '/policies/dry-run', {
    body: {
      name: 'Search',
      filter: { services: ['search'] },
      steps: [{ after_s: 0, to: [{ kind: 'person', id: ana }] }],
    },
  });

  expect(tried).toMatch(/would have woken Ana 1 time, [01] at night/);
  expect(tried).toContain('That is for 1 of 1 incident');
  expect(nothingMade).toContain('No policy: nobody is woken.');
  expect(shown).toMatch(/<bdi>Everything<\/bdi> would have woken Ana 1 time/);
  expect(await answer.json()).toMatchObject({ incidents: 1, woken_for: 0, people: [] });
});

it('answers by the button of the link alone, once, and not by a link that somebody made up', async () => {
  await using team = await startWakingTeam();
  const ana = await team.addPerson('Ana');
  await team.addEmail(ana);
  const made = await stranger(team.tocsin).visit('/answer/attempt_01h455vb4pex5vsknk084sn02q.aaaa', { form: {} });

  expect(made.status).toBe(410);
});
