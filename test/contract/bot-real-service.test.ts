import { subMinutes } from 'date-fns/subMinutes';
import { describe, expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { type BotTeam, eventually, nothingToReport } from '../support/bot-team.ts';
import { startRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';
import { answer, startWebhookReceiver } from '../support/webhook-receiver.ts';

/** The bot and Tocsin's own service. */
async function withTeam(run: (team: BotTeam, service: TestService) => Promise<void>): Promise<void> {
  await using real = await startRealTeam({}, { webhooks: { allowPrivateAddresses: true } });
  await run(real.team, real.service);
}

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

describe('with Tocsin’s own service', () => {
  it('shows title, number and types of signals, and accepts the number', () =>
    withTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id, number, title } = await service.openIncident();

      const card = await team.card(/payments/);
      await team.slack.as('ana').command('incidents', `/incidents show #${number}`);
      const shown = await team.ephemeral('ana', /payments/);
      await team.slack.as('ana').command('incidents', `/incidents ack ${number}`);
      await team.ephemeral('ana', /You acknowledged/);

      expect(card.text).toContain(`#${number} ${title?.replace(/ \([^()]*\)$/, '')}`);
      expect(card.text).toMatch(/\nStill failing[^\n]*\n(?:[^\n]*\n)*[^\n]*\d+ signals?/);
      expect(shown.text).toMatch(/\nSignals: \d+ traces?\n• trace/);
      expect(shown.text).toContain('• trace `payments`');
      expect(await read(service, id)).toMatchObject({ acknowledged_by: 'ana@example.com', status: 'open' });
    }));

  it('says in the channel that a webhook was disabled, once', () =>
    withTeam(async (team, service) => {
      await using receiver = await startWebhookReceiver(answer(410));
      const webhook = { type: 'webhook', name: 'status page <&>', config: { url: receiver.url } };
      await service.call('POST', '/integrations', { body: webhook });
      await service.failIn(['payments']);
      await service.openIncident();

      const notice = await team.card(/status page/);

      expect(notice.text).toMatch(/^The webhook \*status page &lt;&amp;&gt;\* was disabled: .*410.*\/enable\.$/);
    }));

  it('shows who closed the incident, and the note of somebody who was faster', () =>
    withTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id } = await service.openIncident();
      await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
      const modal = await team.modal('ana');
      const body = { resolution_note: 'restarted the ledger', user: 'dashboard' };
      await service.call('POST', `/incidents/${id}/resolve`, { body });

      await team.slack.as('ana').submit(modal, { 'Resolution note': 'rolled back' });

      const answer = await team.ephemeral('ana', /already closed/);
      expect(answer.text).toMatch(/Closed by dashboard \(by key test\), <!date[^>]+>:\n> restarted the ledger/);
      expect(answer.text).toContain('Your note was not added. Here it is:\nrolled back');
      expect((await team.card(/Closed by dashboard/)).text).toContain('> restarted the ledger');
    }));

  it('follows changes made in the dashboard', () =>
    withTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id } = await service.openIncident();
      await team.card(/payments/);

      await service.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ben in the dashboard' } });
      const acknowledged = await team.card(/Acknowledged by ben in the dashboard/);
      await service.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'fixed' } });
      const closed = await team.card(/Closed/);

      expect(closed.ts).toBe(acknowledged.ts);
      expect(closed.text).toMatch(/Acknowledged by ben in the dashboard/);
    }));

  it('shows that an alert is still firing, and when it ended', () =>
    withTeam(async (team, service) => {
      const startedAt = subMinutes(new Date(), 20);
      const endedAt = subMinutes(new Date(), 1);
      await service.call('POST', '/alertmanager', { body: alertNotification(startedAt) });
      await service.openIncident();
      const card = await team.card(/payments/);
      await team.slack.as('ana').click(card, 'Resolve');
      await team.modal('ana', /Still failing.*1 signal from `payments`, last seen/);

      await service.call('POST', '/alertmanager', { body: alertNotification(startedAt, endedAt) });
      service.advance(2_000);

      const over = await team.card(/Recovered <!date/);
      expect(over.ts).toBe(card.ts);
      expect(over.text).toMatch(/^Warning · .*#1 .*\nNot acknowledged/);
      await eventually(() => team.replies(card).some((line) => line.startsWith('All signals ended <!date')));
      await team.slack.as('ana').command('incidents', '/incidents show #1');
      expect((await team.ephemeral('ana', /HighErrorRate/)).text).toMatch(
        /• metric `payments` HighErrorRate.*, ended <!date/,
      );
      await team.slack.as('ana').command('incidents', '/incidents open');
      await team.ephemeral('ana', /1 open incident [^\n]*\n.*\n.*Recovered <!date/);
    }));

  it('registers once', () =>
    withTeam(async (team, service) => {
      const list = async () =>
        Object(await (await service.call('GET', '/integrations')).json()).integrations as unknown[];
      await eventually(async () => (await list()).length > 0);

      await team.restartBot();
      await nothingToReport(team);

      expect(await list()).toMatchObject([{ type: 'slack', name: 'Slack: Local Slack' }]);
    }));
});
