import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import type { BotTeam } from '../support/bot-team.ts';
import { cookieOf, signIn, stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { startOpenIdProvider } from '../support/openid-provider.ts';
import { startRealTeam } from '../support/real-team.ts';
import { PUBLIC_URL, type TestService } from '../support/test-service.ts';

const EMAIL = 'ana@example.com';

const cleanup = new AsyncDisposableStack();
let team: BotTeam;
let tocsin: TestService;
let signInAs: (account: string) => Promise<Visitor>;

beforeAll(async () => {
  const people = {
    ana: { name: 'Ana of the IdP', email: 'Ana@Example.com', email_verified: true, groups: ['sre'] },
    eve: { name: 'Eve', email: EMAIL, email_verified: false, groups: ['sre'] },
  };
  const provider = cleanup.use(await startOpenIdProvider(people, `${PUBLIC_URL}/dashboard/sign-in/openid/callback`));
  const { issuer, clientId, clientSecret } = provider;
  const roles = { claim: 'groups', lists: { viewer: [], responder: ['sre'], admin: [] } };
  const openId = { issuer, clientId, clientSecret, scope: 'openid profile email', roles };
  const real = cleanup.use(await startRealTeam({}, { openId }));
  ({ team, service: tocsin } = real);
  signInAs = async (account) => {
    const left = await stranger(tocsin).visit('/sign-in/openid');
    const back = await provider.signIn(left.headers.get('location') ?? '', account);
    const path = `${back.pathname}${back.search}`.replace('/dashboard', '');
    const answer = await stranger(tocsin).visit(path, { headers: { cookie: cookieOf(left) } });
    const session = answer.headers.getSetCookie().find((cookie) => /^tocsin=[\w-]/.test(cookie)) ?? '';
    return visitorWith(tocsin, session.split(';')[0] ?? '');
  };
}, 60_000);
afterAll(() => cleanup.disposeAsync());

/** An incident of a service that has failed in no other test. */
async function open(service: string): Promise<number> {
  await tocsin.failIn([service]);
  const { number } = await tocsin.openIncident();
  await team.card(new RegExp(service));
  return number ?? 0;
}

async function acknowledgeOnPage(visitor: Visitor, number: number): Promise<void> {
  expect((await visitor.visit(`/incidents/${number}/acknowledge`, { form: {} })).status).toBe(303);
}

/** The list of what is Ana's in Slack. */
async function mineOfAna(): Promise<string> {
  const before = team.slack.ephemerals('ana', 'incidents').length;
  await team.slack.as('ana').command('incidents', '/incidents mine');
  await team.slack.waitFor(() => team.slack.ephemerals('ana', 'incidents').length > before);
  return team.slack.ephemerals('ana', 'incidents').at(-1)?.text ?? '';
}

async function read(number: number): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${number}`)).json());
}

describe('who acts', () => {
  it('is one person on the page and in Slack, if both know the same verified address', async () => {
    const number = await open('payments');

    await acknowledgeOnPage(await signInAs('ana'), number);

    expect(await mineOfAna()).toContain('payments');
    expect(await read(number)).toMatchObject({
      acknowledged_by: 'Ana of the IdP',
      acknowledged_by_id: `email:${EMAIL}`,
    });
  });

  it('is not somebody whose address nobody has verified', async () => {
    const number = await open('stock');

    await acknowledgeOnPage(await signInAs('eve'), number);

    expect(await mineOfAna()).not.toContain('stock');
    expect((await read(number)).acknowledged_by_id).toMatch(/^openid:/);
  });

  it('is the same in Slack, and the page takes a second acknowledgement of them for a repetition', async () => {
    const number = await open('search');
    await team.slack.as('ana').command('incidents', `/incidents ack #${number}`);
    await team.ephemeral('ana', /You acknowledged/);

    await acknowledgeOnPage(await signInAs('ana'), number);

    expect(await read(number)).toMatchObject({ acknowledged_by: EMAIL, acknowledged_by_id: `email:${EMAIL}` });
    expect(await mineOfAna()).toContain('search');
  });

  it.each([
    ['on the page', (number: number) => ackWithTypedName(number)],
    [
      'in a request',
      (number: number) => tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: { user: EMAIL } }),
    ],
  ])('is marked where a holder of a key types the name of a colleague %s', async (how, acknowledge) => {
    const service = how === 'on the page' ? 'ledger' : 'billing';
    const number = await open(service);

    await acknowledge(number);

    const admin = await signIn(tocsin, tocsin.readWriteKey);
    const pages = await Promise.all(
      ['/incidents', `/incidents/${number}`, `/incidents/${number}/text`, '/settings/audit'].map(async (path) =>
        (await admin.visit(path)).text(),
      ),
    );
    for (const page of pages) {
      expect(page).toContain('ana (by key test)');
    }
    const card = await team.card(new RegExp(`${service}[^]*Acknowledged by ana@example.com \\(by key test\\)`));
    expect(card.text).not.toContain('<@');
    await team.slack.as('ben').command('incidents', `/incidents export #${number}`);
    expect(await mineOfAna()).not.toContain(service);
  });
});

async function ackWithTypedName(number: number): Promise<void> {
  await acknowledgeOnPage(await signIn(tocsin, tocsin.readWriteKey, EMAIL), number);
}
