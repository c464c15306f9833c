import { expect, it, vi } from 'vitest';
import type { BotTeam } from '../support/bot-team.ts';
import { stranger } from '../support/dashboard.ts';
import { HANG_MS } from '../support/hang.ts';
import { withRealTeam } from '../support/real-team.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const ON_ITS_WAY = /If Slack knows you by this address, a message is on its way/;

function ask(service: TestService, email: string, returnTo = '/dashboard/incidents') {
  return stranger(service).visit('/sign-in/slack', { form: { email, return_to: returnTo } });
}

/** A bot is there, as far as the service knows. */
async function registerSlack(service: TestService): Promise<void> {
  const body = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };
  expect((await service.call('POST', '/integrations', { body })).status).toBe(201);
}

/** The bots follow the event stream and have registered. */
async function followed(service: TestService, bots = 1): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await service.registry.getSingleMetricAsString('tocsin_event_streams')).toContain(` ${bots}`);
      expect(await (await stranger(service).visit('/sign-in')).text()).toContain('Send me a link in Slack');
    },
    { timeout: HANG_MS },
  );
}

/** The direct messages that somebody got, as JSON. */
function linksTo({ slack }: BotTeam, person: string): string[] {
  const { id } = slack.as(person);
  return slack.calls
    .filter(({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === id && verdict === 'ok')
    .map(({ args }) => String(args.blocks));
}

it('sends a link to the person in Slack who has the address, and leads back to the page', () =>
  withRealTeam(async (team, service) => {
    await followed(service);
    const page = await stranger(service).visit('/sign-in?return_to=/dashboard/incidents/7');
    expect(await page.text()).toMatch(
      /name="return_to" value="\/dashboard\/incidents\/7"[\s\S]+Send me a link in Slack/,
    );

    const answer = await ask(service, 'ANA@example.com', '/dashboard/incidents/7');
    await team.directMessage('ana', /works once/);
    const [message = ''] = linksTo(team, 'ana');
    const [, path = ''] = /"url":"http[^"]*?\/dashboard(\/sign-in[^"]+)"/.exec(message) ?? [];
    await stranger(service).visit(path); // a preview
    const used = await stranger(service).visit(path, { form: {} });

    expect(await answer.text()).toMatch(ON_ITS_WAY);
    expect(message).toContain('If that was not you, ignore it');
    expect(message).toContain('Open incident #7');
    expect([used.status, used.headers.get('location')]).toEqual([303, '/dashboard/incidents/7']);
  }));

it('sends nothing for an unknown address and answers the same', () =>
  withRealTeam(async (team, service) => {
    await followed(service);

    const unknown = await ask(service, 'nobody@example.com');
    const known = await ask(service, 'ana@example.com');
    await team.directMessage('ana', /works once/);

    expect(await unknown.text()).toBe(await known.text());
    expect(unknown.status).toBe(known.status);
    expect(linksTo(team, 'ana')).toHaveLength(1);
  }));

it('sends one message for a request, however many bots follow', () =>
  withRealTeam(async (team, service) => {
    await team.startAnotherBot();
    await followed(service, 2);

    await ask(service, 'ana@example.com');
    await ask(service, 'ben@example.com');
    await team.directMessage('ana', /works once/);
    await team.directMessage('ben', /works once/);

    expect([linksTo(team, 'ana').length, linksTo(team, 'ben').length]).toEqual([1, 1]);
  }));

it('passes on two requests a minute for an address, and says that the others sent nothing', async () => {
  await using service = await startTestService();
  await registerSlack(service);

  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(service, 'ana@example.com')));

  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    200,
    ...Array(6).fill(429),
  ]);
  const refused = answers.find(({ status }) => status === 429);
  expect(await refused?.text()).toContain('No other link was sent');
  expect(await requests(service)).toEqual(['ana@example.com', 'ana@example.com']);
});

it('refuses a flood from one place', async () => {
  await using service = await startTestService();
  await registerSlack(service);

  const statuses = [];
  for (let sent = 0; sent < 20; sent += 1) {
    statuses.push((await ask(service, `person-${sent}@example.com`)).status);
  }

  expect(statuses).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
});

it('is not offered without a bot, and wants an address', async () => {
  await using service = await startTestService();
  const without = await (await stranger(service).visit('/sign-in')).text();
  await ask(service, 'ana@example.com');
  const unheard = await requests(service);
  await registerSlack(service);

  const faulty = await ask(service, 'ana', '/dashboard/incidents/7');

  expect(without).not.toContain('Send me a link');
  expect(without).toContain('/incidents dashboard');
  expect(unheard).toEqual([]);
  expect(faulty.status).toBe(422);
  expect(await faulty.text()).toMatch(/Enter your email address[\s\S]+value="\/dashboard\/incidents\/7"/);
});

it('shows only read-write keys who asks', async () => {
  await using service = await startTestService();
  await registerSlack(service);
  await ask(service, 'ana@example.com');
  await service.failIn(['payments']);
  await service.openIncident();

  const [reader, writer] = await Promise.all([eventsFor(service, service.readOnlyKey), eventsFor(service)]);

  expect(reader).toContain('event: incident.opened');
  expect(reader).not.toContain('ana@example.com');
  expect(writer).toContain('"sign_in":{"email":"ana@example.com","return_to":"/dashboard/incidents"}');
});

/** What the stream says from the beginning until an incident opens. */
async function eventsFor(service: TestService, key = service.readWriteKey): Promise<string> {
  const { body } = await service.call('GET', '/events?last_event_id=0', { key });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('incident.opened')) {
      break;
    }
  }
  return text;
}

async function requests(service: TestService): Promise<string[]> {
  await service.failIn(['payments']);
  await service.openIncident();
  const text = await eventsFor(service);
  return [...text.matchAll(/"email":"([^"]+)"/g)].map(([, email = '']) => email);
}
