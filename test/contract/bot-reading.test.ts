import { describe, expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, eventually, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { callAsTool } from '../support/post-as-tool.ts';
import { startRealTeam, withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';
import { TOOL_SAMPLES } from '../support/tool-messages.ts';

const TOOL = 'monitor';
const FAILURE = { text: '[Triggered] disk of web-7 is full' };

const post = (team: BotTeam, message: object, tool = TOOL, channel = 'general') =>
  callAsTool(team.slack, tool, 'chat.postMessage', { channel, ...message });

const edit = (team: BotTeam, ts: string, message: object) =>
  callAsTool(team.slack, TOOL, 'chat.update', { channel: 'general', ts, ...message });

/** Lets a tool post something that is not read, and asks for its messages in that channel to be read. */
async function startReading(team: BotTeam, tool = TOOL): Promise<void> {
  await nothingToReport(team);
  await post(team, { text: 'hello' }, tool);
  await team.slack.as('ana').command('general', '/incidents read');
  await team.slack
    .as('ana')
    .click(await team.ephemeral('ana', new RegExp(`${tool}.* is not read`, 'i'), 'general'), 'Read');
  await team.ephemeral('ana', /is a failure/, 'general');
}

async function signals(service: TestService) {
  const response = await service.call('GET', '/signals?type=metric');
  return (
    (await response.json()) as {
      signals: { id: string; summary: string; occurrences: number; ended_at: string | null }[];
    }
  ).signals;
}

async function incidents(service: TestService): Promise<Incident[]> {
  const { incidents: listed } = (await (await service.call('GET', '/incidents')).json()) as {
    incidents: { id: string }[];
  };
  return Promise.all(
    listed.map(async ({ id }) => Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json())),
  );
}

const signalWhere = (service: TestService, fits: (signal: Awaited<ReturnType<typeof signals>>[number]) => boolean) =>
  eventually(async () => (await signals(service)).find(fits));

/** Messages of apps that the bot has and the service does not, once no attempt to send them is under way. */
async function waitForUnsent({ database }: BotTeam, count: number): Promise<void> {
  const client = await database.connect();
  const unsent = `select from ${BOT_SCHEMA}.read_messages where sent_at is null`;
  const running = `select from ${BOT_SCHEMA}.effects where kind = 'read messages' and (leased_until is not null
    or settled_at is null and last_error is null)`;
  const countOf = async (query: string) => (await client.query(query)).rowCount;
  try {
    await eventually(async () => (await countOf(unsent)) === count && (await countOf(running)) === 0);
  } finally {
    await client.end();
  }
}

describe('a channel where another app posts alerts', () => {
  it('opens an incident with a card that links to the message, and recovers when the app says so', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      const ts = await post(team, FAILURE);
      const card = await team.card(/disk of web-7 is full/);
      await signalWhere(service, ({ ended_at: end }) => end === null);

      await post(team, { text: '[Resolved] disk of web-7 is full' });

      await signalWhere(service, ({ ended_at: end }) => end !== null);
      expect(JSON.stringify(card.blocks)).toContain(`p${ts.replace('.', '')}`);
      await team.card(/recovered/i);
      expect(await signals(service)).toHaveLength(1);
      expect(await incidents(service)).toHaveLength(1);
    }));

  it('counts an event that Slack sends twice once, and ends with the edit that resolves the message', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      team.slack.faults.duplicateEvents(1);
      const ts = await post(team, { text: 'disk of web-7 is full' });
      await signalWhere(service, ({ ended_at: end }) => end === null);
      await edit(team, ts, { text: ':white_check_mark: all is well again' });

      const ended = await signalWhere(service, ({ ended_at: end }) => end !== null);

      expect(ended).toMatchObject({ summary: 'disk of web-7 is full', occurrences: 1 });
    }));

  it('is sent by the next process if the first one stops in between, in the order in which it was said', async () => {
    let isAway = false;
    const away = () => new Response('', { status: 503 });
    await using real = await startRealTeam({}, {}, async (request, service) =>
      isAway && request.url.endsWith('/events') && request.method === 'POST' ? away() : service(request),
    );
    const { team, service } = real;
    await startReading(team);
    isAway = true;
    await post(team, FAILURE);
    await post(team, { text: '[Resolved] disk of web-7 is full' });
    await waitForUnsent(team, 2);
    await team.stopBot();
    isAway = false;
    await team.restartBot();

    const signal = await signalWhere(service, ({ ended_at: end }) => end !== null);

    expect(signal.occurrences).toBe(1);
  });

  it('counts once what the service took, although its answer was lost', async () => {
    let lost = 1;
    await using real = await startRealTeam({}, {}, async (request, service) => {
      const isSent = request.method === 'POST' && /int_\w+\/events$/.test(request.url);
      const response = await service(request);
      return isSent && response.ok && lost-- > 0 ? new Response('', { status: 502 }) : response;
    });
    const { team, service } = real;
    await startReading(team);
    await post(team, FAILURE);
    await post(team, { text: '[Resolved] disk of web-7 is full' });

    await signalWhere(service, ({ ended_at: end }) => end !== null);
    await waitForUnsent(team, 0);

    expect(lost).toBeLessThan(1);
    expect(await signals(service)).toMatchObject([{ occurrences: 1 }]);
  });

  it('is read from the history where its events were lost', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      await team.stopBot();
      const ts = await post(team, FAILURE);
      await edit(team, ts, { text: '[Resolved] disk of web-7 is full' });
      await post(team, { text: '[Triggered] disk of web-8 is full' });
      await team.restartBot();

      const signal = await signalWhere(service, () => true);

      expect(signal.summary).toContain('web-8');
    }));

  it('is read from the history to its end, with the threads of the app', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      const ts = await post(team, FAILURE);
      await signalWhere(service, ({ ended_at: end }) => end === null);
      await team.stopBot();
      await post(team, { text: '[Resolved] disk of web-7 is full', thread_ts: ts });
      await post(team, { text: '[Triggered] disk of web-8 is full' });
      const ben = team.slack.as('ben');
      for (let count = 0; count < 200; count += 1) {
        await ben.message('general', `who looks at it? ${count}`);
      }
      await team.restartBot();

      await signalWhere(service, ({ summary }) => summary.includes('web-8'));
      await signalWhere(service, ({ summary, ended_at: end }) => summary.includes('web-7') && end !== null);
      expect(team.slack.calls.filter(({ method }) => method === 'conversations.replies')).toHaveLength(1); // no event told it
    }));

  it('ignores people, other apps, and its own cards in the same channel', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      await team.slack.as('ben').message('general', '[Triggered] said by a person');
      await post(team, { text: '[Triggered] said by another app' }, 'gitbot');
      await team.slack.as('ana').command('general', '/incidents declare payments cards are refused');
      await team.card(/cards are refused/);
      await post(team, FAILURE);

      await signalWhere(service, ({ summary }) => summary.includes('web-7'));

      expect((await signals(service)).map(({ summary }) => summary).filter((text) => /said by/.test(text))).toEqual([]);
    }));

  it('reads what known tools post', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      const counts: [string, number][] = [];
      for (const { tool, failure, end, isEdited } of TOOL_SAMPLES) {
        const ts = await post(team, failure);
        const { id } = await signalWhere(service, ({ ended_at: ended }) => ended === null);
        await (isEdited ? edit(team, ts, end) : post(team, end));
        await signalWhere(service, (signal) => signal.id === id && signal.ended_at !== null);
        counts.push([tool, (await signals(service)).length]);
      }

      expect(counts).toEqual(TOOL_SAMPLES.map(({ tool }, index) => [tool, index + 1]));
    }));

  it('shows what arrived at the page of its integration, and keeps a flood in order', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      const hosts = Array.from({ length: 100 }, (_, at) => `web-${at}`);
      await Promise.all(hosts.map((host) => post(team, { text: `[Triggered] disk of ${host} is full` })));
      await Promise.all(hosts.map((host) => post(team, { text: `[Resolved] disk of ${host} is full` })));

      await eventually(async () => {
        const page = await service.call('GET', '/signals?type=metric&limit=200');
        const { signals: all } = (await page.json()) as { signals: { ended_at: string | null }[] };
        return all.length === 100 && all.every(({ ended_at: end }) => end !== null);
      });

      const listed = (await (await service.call('GET', '/integrations')).json()) as {
        integrations: { name: string; type: string; last_unkept: string | null }[];
      };
      expect(listed.integrations.filter(({ type }) => type === 'json')).toMatchObject([
        { name: expect.stringMatching(/^Slack #general: Monitor \(C0GENERAL1 B/), last_unkept: null },
      ]);
    }));

  it('is not read any more once its integration was deleted, which who began it is told', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      await post(team, FAILURE);
      await signalWhere(service, () => true);
      const { integrations } = (await (await service.call('GET', '/integrations')).json()) as {
        integrations: { id: string; type: string }[];
      };
      const id = integrations.find(({ type }) => type === 'json')?.id;
      await service.call('DELETE', `/integrations/${id}`);

      await post(team, { text: '[Triggered] another' });

      await team.directMessage('ana', /is not read any more.*no such integration/);
      await team.slack.as('ana').command('general', '/incidents read');
      const listed = await team.ephemeral('ana', /Monitor is not read\. 3 messages/, 'general');
      expect(listed.text).toContain('The last: “[Triggered] another”');
    }));
});

describe('/incidents read', () => {
  it('is refused by a service that takes no signals, with a reason', async () => {
    await using team = await startBotTeam();
    await nothingToReport(team);
    await post(team, FAILURE);

    await team.slack.as('ana').command('general', '/incidents read');

    const answer = await team.ephemeral('ana', /takes no signals from Slack/, 'general');
    expect(answer.text).toContain('Point those tools to the service itself');
    const made = team.service.requests.filter(({ method, path }) => method === 'POST' && path === '/integrations');
    expect(made.filter(({ body }) => (body as { type?: string }).type !== 'slack')).toEqual([]);
  });

  it('is for those who may change rules', async () => {
    await using real = await startRealTeam({ rulesGroup: 'nobody' });
    await nothingToReport(real.team);

    await real.team.slack.as('ana').command('general', '/incidents read');

    const refused = await real.team.ephemeral('ana', /only members of|has not said/, 'general');
    expect(refused.text).toMatch(/^Nothing was changed/);
    expect(real.team.slack.calls.filter(({ method }) => method === 'conversations.join')).toEqual([]);
  });

  it('joins the channel, and says what to do if no other app posted there', async () => {
    await using real = await startRealTeam();
    const { team } = real;
    await nothingToReport(team);

    await team.slack.as('ana').command('general', '/incidents read');

    const answer = await team.ephemeral('ana', /No other app posted/, 'general');
    expect(answer.text).toContain('Let the tool post a test, and ask again.');
    expect(team.slack.calls.filter(({ method }) => method === 'conversations.join')).toHaveLength(1);
  });

  it('stops with a button', () =>
    withRealTeam(async (team, service) => {
      await startReading(team);
      await team.slack.as('ana').command('general', '/incidents read');
      await team.slack.as('ana').click(await team.ephemeral('ana', /Monitor is read, since/, 'general'), 'Stop');
      await team.ephemeral('ana', /is not read any more\. Incidents that are open stay open/, 'general');

      await post(team, FAILURE);
      await team.slack.as('ana').command('general', '/incidents read');

      await team.ephemeral('ana', /Monitor is not read\. 2 messages lately\. The last: “\[Triggered\] disk/, 'general');
      expect(await signals(service)).toEqual([]);
    }));
});
