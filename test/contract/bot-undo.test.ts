import { describe, expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { Incident } from '../../src/contract/resources.ts';
import { eventually, startBotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

const MINUTE_MS = 60_000;

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

async function openPayments(service: TestService): Promise<Incident> {
  await service.failIn(['payments']);
  return service.openIncident();
}

const events = ({ timeline = [] }: Incident) => timeline.map(({ event, by }) => `${event} ${by ?? ''}`.trim());

describe('Undo in a receipt', () => {
  it('takes an acknowledgement back: the card, its thread and the timeline say so', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      const ana = team.slack.as('ana');
      const card = await team.card(/payments/);
      await ana.click(card, 'Acknowledge');
      const receipt = await team.ephemeral('ana', /You acknowledged/);
      await team.slack.waitFor(() => team.replies(card).find((text) => text.includes('Acknowledged by')));

      await ana.click(receipt, 'Undo');

      await team.ephemeral('ana', /You took back your acknowledgement of #\d+ .*Nobody has taken it now/);
      await team.slack.waitFor(() =>
        team.replies(card).find((text) => text.includes('ana took back the acknowledgement')),
      );
      const incident = await read(service, id);
      expect(incident.acknowledged_by).toBeNull();
      expect(events(incident)).toEqual(['opened', 'acknowledged ana@example.com', 'unacknowledged ana@example.com']);
      await ana.click(receipt, 'Undo');
      await team.ephemeral('ana', /Nobody has acknowledged #\d+ .*so nothing was changed/);
    }));

  it('opens a closed incident again and hands the note back', () =>
    withRealTeam(async (team, service) => {
      const { id, number } = await openPayments(service);
      const ana = team.slack.as('ana');
      const card = await team.card(/payments/);
      await ana.command('incidents', `/incidents resolve ${number} rolled back 1.2.3`);
      const asked = await team.ephemeral('ana', /is still failing, so it was not closed.*Resolve anyway\?/);
      expect(asked.text).toContain('Your note as you typed it:\nrolled back 1.2.3');
      expect((await read(service, id)).status).toBe('open');
      await ana.click(asked, 'Resolve anyway');
      const receipt = await team.ephemeral('ana', /You closed/);
      expect((await read(service, id)).resolution_note).toBe('rolled back 1.2.3');
      await team.slack.waitFor(() => team.replies(card).find((text) => text.includes('Closed by')));

      await ana.click(receipt, 'Undo');

      const { text } = await team.ephemeral('ana', /You opened #\d+ .* again/);
      expect(text).toContain('rolled back 1.2.3');
      await team.slack.waitFor(() => team.replies(card).find((each) => each.includes('Open again, reopened by ana')));
      const incident = await read(service, id);
      expect(incident.status).toBe('open');
      expect(events(incident)).toContain('reopened ana@example.com');
    }));

  it('changes nothing after ten minutes, or once somebody else has changed the incident', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      const ana = team.slack.as('ana');
      await ana.click(await team.card(/payments/), 'Acknowledge');
      const receipt = await team.ephemeral('ana', /You acknowledged/);
      const body = { resolution_note: 'restarted the ledger', user: 'dashboard' };
      await service.call('POST', `/incidents/${id}/resolve`, { body });

      await ana.click(receipt, 'Undo');
      const overtaken = await team.ephemeral(
        'ana',
        /Something else happened since, so your acknowledgement was not undone/,
      );
      await advanceDatabaseClock(team.database, BOT_SCHEMA, 11 * MINUTE_MS);
      await ana.click(receipt, 'Undo');
      const late = await team.ephemeral('ana', /Undo is possible for ten minutes, so nothing was changed/);

      expect(overtaken.text).toMatch(/Closed by dashboard \(by key test\), .*:\n> restarted the ledger/);
      expect(late.text).toContain('Closed by dashboard');
      expect((await read(service, id)).status).toBe('closed');
    }));

  it('does not undo a second acknowledgement by the same person', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      const ana = team.slack.as('ana');
      await ana.click(await team.card(/payments/), 'Acknowledge');
      const receipt = await team.ephemeral('ana', /You acknowledged/);
      await service.call('POST', `/incidents/${id}/unacknowledge`, { body: { user: 'ben' } });
      await service.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana@example.com' } });

      await ana.click(receipt, 'Undo');

      await team.ephemeral('ana', /Something else happened since/);
      expect((await read(service, id)).acknowledged_by).toBe('ana@example.com');
    }));
});

describe('with a service that does not take anything back', () => {
  it('there is no Undo, and a recovered incident is closed at once with its note', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const receipt = await team.ephemeral('ana', /You acknowledged/);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);

    await eventually(() => team.service.incident(id).resolutionNote === 'rolled back');
    expect(JSON.stringify(receipt.blocks)).not.toContain('Undo');
  });
});
