import { expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { eventually, startBotTeam } from '../support/bot-team.ts';
import { startTestService } from '../support/test-service.ts';

/** Longer than any test, so that no change comes from a poll. */
const POLL_MS = 3_600_000;

it('shows changes of the event stream without waiting for a poll', async () => {
  await using service = await startTestService();
  await using door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = service.service.fetch;
  await using team = await startBotTeam({
    service: { baseUrl: `${door.url}/v1`, apiKey: service.readWriteKey },
    pollMs: POLL_MS,
  });
  await eventually(async () => {
    await team.slack.as('ana').command('incidents', '/incidents health');
    return team.slack.ephemerals('ana', 'incidents').some(({ text }) => text.includes('pushes changes'));
  });

  await service.failIn(['payments']);
  const { id } = await service.openIncident();
  const card = await team.card(/payments/);
  await service.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back', user: 'ben' } });

  const closed = await team.card(/Closed by ben/);
  expect(closed.ts).toBe(card.ts);
  expect(closed.text).toContain('> rolled back');
  service.service.endStreams();
});

it('requests the event stream once from a service without one, and polls', async () => {
  await using team = await startBotTeam({ pollMs: 50 });
  const asked = (path: string) => team.service.requests.filter((request) => request.path === path).length;

  await eventually(() => asked('/incidents') > 20);

  expect(asked('/events')).toBe(1);
});
