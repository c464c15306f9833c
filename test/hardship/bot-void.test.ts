import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { Incident } from '../../src/contract/resources.ts';
import type { BotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

/** After this, another process has taken over what a dead one kept. */
const TAKEOVER_MS = 9_000;

async function openPayments(service: TestService): Promise<Incident> {
  await service.failIn(['payments']);
  return service.openIncident();
}

async function eventsOf(service: TestService, id: string): Promise<(string | null)[]> {
  const { timeline = [] } = Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
  return timeline.map(({ event }) => event);
}

/** Keeps what ana asked of a process that died right afterwards. */
async function keepAndDie(
  team: BotTeam,
  action: { kind: 'acknowledge' } | { kind: 'resolve'; note: string },
  id: string,
) {
  const { actions } = await createStore(team.database);
  const asked = { slackUserId: team.slack.as('ana').id, channelId: 'C0INCIDENT', origin: 'a dead process' };
  const data = action.kind === 'resolve' ? { ...action, asksFirst: false, isNoProblem: false } : action;
  await actions.keep({ ...asked, ...data, incidentId: id, source: `dead ${action.kind}` }, null);
}

describe('a kept action of a process that died', () => {
  it('is void once ana acknowledged again and took it back', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      const ana = team.slack.as('ana');
      const card = await team.card(/payments/);
      await keepAndDie(team, { kind: 'acknowledge' }, id);
      await ana.click(card, 'Acknowledge');
      await ana.click(await team.ephemeral('ana', /You acknowledged/), 'Undo');
      await team.ephemeral('ana', /You took back your acknowledgement/);

      await advanceDatabaseClock(team.database, BOT_SCHEMA, TAKEOVER_MS);

      await team.directMessage('ana', /You took this back, .*so your acknowledgement of #\d+ .*was not done again/);
      expect(await eventsOf(service, id)).toEqual(['opened', 'acknowledged', 'unacknowledged']);
    }));

  it('is void once ana closed it again and opened it, and its note is handed back', () =>
    withRealTeam(async (team, service) => {
      const { id, number } = await openPayments(service);
      const ana = team.slack.as('ana');
      await team.card(/payments/);
      await keepAndDie(team, { kind: 'resolve', note: 'rolled back 1.2.3' }, id);
      await ana.command('incidents', `/incidents resolve ${number} restarted`);
      await ana.click(await team.ephemeral('ana', /Resolve anyway/), 'Resolve anyway');
      await ana.click(await team.ephemeral('ana', /You closed/), 'Undo');
      await team.ephemeral('ana', /You opened #\d+ .* again/);

      await advanceDatabaseClock(team.database, BOT_SCHEMA, TAKEOVER_MS);

      const told = await team.directMessage(
        'ana',
        /You took this back, .*so your resolution of #\d+ .*was not done again/,
      );
      expect(told).toContain('rolled back 1.2.3');
      expect(await eventsOf(service, id)).toEqual(['opened', 'closed', 'reopened']);
    }));

  it('is one incident with the same declaration made again, and is not called undone', () =>
    withRealTeam(async (team, service) => {
      const { actions } = await createStore(team.database);
      const about = { title: 'cards are refused', service: 'payments', severity: 'error', note: null } as const;
      const asked = { slackUserId: team.slack.as('ana').id, channelId: 'C0INCIDENT', origin: 'a dead process' };
      const kept = await actions.keep({ ...asked, ...about, kind: 'declare', incidentId: null, source: 'dead' }, null);
      expect.assert(kept.kind === 'new');
      await service.call('POST', '/incidents', {
        body: { ...about, note: undefined, user: 'ana@example.com' },
        headers: { 'idempotency-key': kept.action.id },
      }); // whose answer the process did not live to see
      await team.card(/cards are refused/);
      await team.slack.as('ana').command('incidents', '/incidents declare payments cards are refused');
      await team.ephemeral('ana', /You declared #1 cards are refused/);

      await advanceDatabaseClock(team.database, BOT_SCHEMA, TAKEOVER_MS);

      const told = await team.directMessage('ana', /You declared “cards are refused” again, .*one incident for both/);
      expect(told).not.toContain('was not done');
      expect(team.cards()).toHaveLength(1);
    }));

  it('is void once somebody took an acknowledgement back in the dashboard', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      await team.card(/payments/);
      await keepAndDie(team, { kind: 'acknowledge' }, id);
      await service.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ben@example.com' } });
      await service.call('POST', `/incidents/${id}/unacknowledge`, { body: { user: 'ben@example.com' } });

      await advanceDatabaseClock(team.database, BOT_SCHEMA, TAKEOVER_MS);

      await team.directMessage(
        'ana',
        /ben@example.com \(by key test\) took this back, .*so your acknowledgement of #\d+ .*was not done again/,
      );
      expect(await eventsOf(service, id)).toEqual(['opened', 'acknowledged', 'unacknowledged']);
    }));

  it('is done by another one within ten seconds if nothing newer took its place', () =>
    withRealTeam(async (team, service) => {
      const { id } = await openPayments(service);
      await team.card(/payments/);
      await keepAndDie(team, { kind: 'acknowledge' }, id);

      await advanceDatabaseClock(team.database, BOT_SCHEMA, TAKEOVER_MS);

      await team.directMessage('ana', /You acknowledged #\d+/);
      expect(await eventsOf(service, id)).toEqual(['opened', 'acknowledged']);
    }));
});
