import { describe, expect, it } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { startBotTeam } from '../support/bot-team.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

async function list(service: TestService): Promise<IncidentList['incidents']> {
  return IncidentList.parse(await (await service.call('GET', '/incidents')).json()).incidents;
}

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

describe('/incidents declare', () => {
  it('opens an incident with a card, in one line or by a form', () =>
    withRealTeam(async (team, service) => {
      const ana = team.slack.as('ana');

      await ana.command('incidents', '/incidents declare payments cards are refused');
      await team.ephemeral('ana', /You declared #1 cards are refused/);
      await team.card(/#1 cards are refused/);
      await ana.command('incidents', '/incidents declare search');
      const form = await team.modal('ana', /What fails, for whom/);
      await ana.submit(form, {
        'What fails, for whom?': 'nothing is found',
        Severity: 'critical',
        'What is known': 'since noon',
      });

      const card = await team.card(/#2 nothing is found/);
      expect(card.text).toContain('Declared by ana');
      await ana.command('incidents', '/incidents show #1');
      const { text } = await team.ephemeral('ana', /#1 cards are refused.*Why payments/s);
      expect(text).not.toContain('Set by hand'); // only the declaration says what fails
      const [second, first] = await list(service);
      expect(first).toMatchObject({ root_service: 'payments', severity: 'error', declared_by: 'ana@example.com' });
      expect(second).toMatchObject({ root_service: 'search', severity: 'critical' });
      const timeline = async () =>
        (await read(service, second?.id ?? '')).timeline?.map(({ event, text }) => [event, text]);
      await expect.poll(timeline).toContainEqual(['note', 'since noon']); // sent after the declaration
    }));

  it('tells the second of two who declare what they declared themselves, and which incident it joined', () =>
    withRealTeam(async (team, service) => {
      await team.slack.as('ana').command('incidents', '/incidents declare payments cards are refused');
      await team.ephemeral('ana', /You declared #1 cards are refused/);

      await team.slack.as('ben').command('incidents', '/incidents declare payments checkout hangs');

      const { text } = await team.ephemeral('ben', /declar/);
      expect(text).toMatch(/Your declaration “checkout hangs” joined #1 cards are refused, which is open already/);
      expect(await list(service)).toHaveLength(1);
    }));

  it.each(['payments:', 'service:payments'])('knows the service in %s', (typed) =>
    withRealTeam(async (team, service) => {
      await team.slack.as('ana').command('incidents', `/incidents declare ${typed} cards are refused`);
      await team.ephemeral('ana', /You declared #1 cards are refused/);

      expect(await list(service)).toMatchObject([{ root_service: 'payments', title: 'cards are refused' }]);
    }),
  );

  it('takes a message of the channel along, from its menu', () =>
    withRealTeam(async (team, service) => {
      const ana = team.slack.as('ana');
      await ana.message('general', 'cards are refused\nsince the deploy');
      const message = team.slack.messages('general').at(-1);
      expect.assert(message);

      await ana.shortcut('declare_incident', message);
      const form = await team.modal('ana', /What fails, for whom/);

      expect(JSON.stringify(form.content)).toContain('"initial_value":"cards are refused"');
      expect(JSON.stringify(form.content)).toContain('since the deploy');
      expect(await list(service)).toEqual([]);
    }));

  it('says so if the service does not know declarations', async () => {
    await using team = await startBotTeam({ shape: 'plain' });

    await team.slack.as('ana').command('incidents', '/incidents declare payments cards are refused');

    const { text } = await team.ephemeral('ana', /does not offer this, so your declaration was not done/);
    expect(text).toContain('cards are refused');
  });
});

describe('/incidents change', () => {
  it('sets fields by hand: the card, its thread and /incidents mine show it, and Undo takes it back', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id, number, title } = await service.openIncident();
      const card = await team.card(/payments/);
      const ana = team.slack.as('ana');

      await ana.command('incidents', `/incidents change #${number}`);
      const form = await team.modal('ana', /Root service/);
      await ana.submit(form, { Title: 'Nobody can pay', Severity: 'critical', Leads: [team.slack.as('ben').id] });

      const receipt = await team.ephemeral(
        'ana',
        /You changed #\d+ Nobody can pay: title “Nobody can pay”, severity critical, lead ben/,
      );
      await team.card(/Nobody can pay.*ben leads/s);
      await team.slack.waitFor(() =>
        team.replies(card).find((text) => text.includes('ben leads') && text.includes('set by hand')),
      );
      await team.slack.as('ben').command('incidents', '/incidents mine');
      await team.ephemeral('ben', /1 open incident that you acknowledged or lead/);
      await ana.click(receipt, 'Undo');
      await team.ephemeral('ana', /You took back your change/);
      expect(await read(service, id)).toMatchObject({ title, lead: null, detected: {} });
    }));

  it('takes back with Undo only what its person has changed', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id, number, title } = await service.openIncident();
      await team.card(/payments/);
      const change = async (person: string, fields: Readonly<Record<string, string | string[]>>) => {
        await team.slack.as(person).command('incidents', `/incidents change #${number}`);
        await team.slack.as(person).submit(await team.modal(person, /Root service/), fields);
        return team.ephemeral(person, /You changed #/);
      };

      const receipt = await change('ana', { Title: 'Nobody can pay' });
      await change('ben', { Severity: 'critical', Leads: [team.slack.as('ben').id] });
      await team.slack.as('ana').click(receipt, 'Undo');

      await team.ephemeral('ana', /You took back your change of .*: title as the service finds it\.$/);
      expect(await read(service, id)).toMatchObject({ title, severity: 'critical', lead: 'ben@example.com' });
    }));
});
