import { describe, expect, it } from 'vitest';
import { MuteList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, eventually } from '../support/bot-team.ts';
import { type Network, startRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

/** A network that keeps the first request whose path matches until it is released. */
function createSlowNetwork(path: RegExp) {
  let isHeld = false;
  const released = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<number>();
  const network: Network = async (request, service) => {
    if (isHeld || request.method === 'GET' || !path.test(request.url)) {
      return service(request);
    }
    isHeld = true;
    const { url, method, headers } = request;
    const body = await request.text();
    await released.promise;
    const response = await service(new Request(url, { method, headers, body }));
    arrived.resolve(response.status);
    return response;
  };
  return {
    network,
    /** @returns the status of the response to the request that was kept */
    async release(): Promise<number> {
      released.resolve();
      return arrived.promise;
    },
  };
}

async function startSlow(path: RegExp) {
  const slow = createSlowNetwork(path);
  const { team, service, ...real } = await startRealTeam({}, {}, slow.network);
  await service.failIn(['payments']);
  return { ...real, team, service, release: () => slow.release(), incident: await service.openIncident() };
}

async function eventsOf(service: TestService, id: string): Promise<string[]> {
  const { timeline = [] } = Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
  return timeline.map(({ event }) => event);
}

async function mutesAt(service: TestService): Promise<readonly unknown[]> {
  return MuteList.parse(await (await service.call('GET', '/mutes')).json()).mutes;
}

/** The direct message with the outcome, whose buttons can be clicked. */
const told = ({ slack }: BotTeam, pattern: RegExp) =>
  slack.waitFor(() =>
    slack.messages(slack.as('ana').openDirectMessage(['tocsin'])).find(({ text }) => pattern.test(text)),
  );

describe('a request that reaches the service after the bot gave it up', () => {
  it('does not acknowledge again what was taken back', async () => {
    await using slow = await startSlow(/\/acknowledge/);
    const { team, service, incident } = slow;
    const ana = team.slack.as('ana');
    await ana.click(await team.card(/payments/), 'Acknowledge');
    await ana.click(await told(team, /You acknowledged/), 'Undo');
    await eventually(async () => (await eventsOf(service, incident.id)).includes('unacknowledged'));

    await slow.release();

    expect(await eventsOf(service, incident.id)).toEqual(['opened', 'acknowledged', 'unacknowledged']);
  });

  it('does not close again what was opened again', async () => {
    await using slow = await startSlow(/\/resolve/);
    const { team, service, incident } = slow;
    const ana = team.slack.as('ana');
    await team.card(/payments/);
    await ana.command('incidents', `/incidents resolve ${incident.number} rolled back`);
    await ana.click(await team.ephemeral('ana', /Resolve anyway/), 'Resolve anyway');
    await ana.click(await told(team, /You closed/), 'Undo');
    await eventually(async () => (await eventsOf(service, incident.id)).includes('reopened'));

    await slow.release();

    expect(await eventsOf(service, incident.id)).toEqual(['opened', 'closed', 'reopened']);
  });

  it('does not mute again what was unmuted', async () => {
    await using slow = await startSlow(/\/mutes/);
    const { team, service } = slow;
    const ana = team.slack.as('ana');
    await team.card(/payments/);
    await ana.command('incidents', '/incidents snooze service:backup 2h upgrade');
    await ana.click(await told(team, /muted/i), 'Undo');
    await eventually(async () => (await mutesAt(service)).length === 0);

    await slow.release();

    expect(await mutesAt(service)).toEqual([]);
  });

  it('does not add a note twice', async () => {
    await using slow = await startSlow(/\/notes/);
    const { team, service, incident } = slow;
    await team.card(/payments/);
    const ana = team.slack.as('ana');
    await ana.message('general', 'the pool is full');
    const message = team.slack.messages('general').at(-1);
    expect.assert(message);
    await ana.shortcut('add_note_to_incident', message);
    await ana.submit(await team.modal('ana', /incident_note_text/), {});
    await eventually(async () => (await eventsOf(service, incident.id)).includes('note'));

    await slow.release();

    expect(await eventsOf(service, incident.id)).toEqual(['opened', 'note']);
  });
});
