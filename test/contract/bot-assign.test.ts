import { describe, expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import type { BotTeam } from '../support/bot-team.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

interface Scene {
  readonly team: BotTeam;
  readonly service: TestService;
  readonly id: string;
  readonly number: number;
  /** The user group @sre, of ben alone. */
  readonly group: string;
}

/** An open incident with its card, and a user group. */
function withIncident(run: (scene: Scene) => Promise<void>) {
  return withRealTeam(async (team, service) => {
    const group = team.slack.as('ana').setUserGroup('sre', ['ben']);
    await service.failIn(['payments']);
    const { id, number = 0 } = await service.openIncident();
    await team.card(/payments/);
    await run({ team, service, id, number, group });
  });
}

async function read({ service, id }: Scene): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

describe('an incident assigned to a user group', () => {
  it('is mentioned on its card, announced in its thread, listed for the members, and taken back by Undo', () =>
    withIncident(async (scene) => {
      const { team, number, group } = scene;
      const ana = team.slack.as('ana');

      await ana.command('incidents', `/incidents change #${number}`);
      const form = await team.modal('ana', /Or a group leads/);
      await ana.submit(form, { 'Or a group leads': [group], Severity: 'warning' });

      const receipt = await team.ephemeral('ana', /You changed #\d+ .*@sre/);
      const card = await team.card(/payments/);
      await expect.poll(() => JSON.stringify(team.cards()[0]?.blocks)).toContain(`<!subteam^${group}>`);
      await expect.poll(() => team.replies(card).join('\n')).toContain('@sre');
      expect(team.replies(card).join('\n')).not.toContain('<!subteam');
      await team.slack.as('ben').command('incidents', '/incidents mine');
      await team.ephemeral('ben', /1 open incident/);
      await ana.command('incidents', '/incidents mine');
      await team.ephemeral('ana', /No open incident/i);
      expect(await read(scene)).toMatchObject({ lead: '@sre', severity: 'warning' });
      await ana.click(receipt, 'Undo');
      await team.ephemeral('ana', /You took back your change/);
      expect(await read(scene)).toMatchObject({ lead: null, detected: {} });
    }));

  it('is shown as chosen when the form opens again, which changes nothing by itself', () =>
    withIncident(async (scene) => {
      const { team, number, group } = scene;
      const ana = team.slack.as('ana');
      await ana.command('incidents', `/incidents assign ${number} @SRE`);
      await team.ephemeral('ana', /You changed/);

      await ana.command('incidents', `/incidents change #${number}`);
      const form = await team.modal('ana', /Or a group leads/);
      expect(JSON.stringify(form.content)).toMatch(/"initial_options":\[[^\]]*"@sre"/);
      await ana.submit(form, { Title: 'Nobody can pay', 'Or a group leads': [group] });
      await team.ephemeral('ana', /You changed .*title/);

      expect(await read(scene)).toMatchObject({ lead: '@sre', title: 'Nobody can pay' });
    }));

  it('cannot have a person in the same role too', () =>
    withIncident(async ({ team, number, group }) => {
      const ana = team.slack.as('ana');
      await ana.command('incidents', `/incidents change #${number}`);
      const form = await team.modal('ana', /Or a group leads/);

      const { errors } = await ana.submit(form, { 'Or a group leads': [group], Leads: [team.slack.as('ben').id] });

      expect(errors).toEqual({ change_lead_group: 'Choose either a person or a group, not both.' });
    }));
});

describe('/incidents assign', () => {
  it('says in one line who leads and who communicates', () =>
    withIncident(async (scene) => {
      const { team, number } = scene;

      await team.slack.as('ana').command('incidents', `/incidents assign #${number} @sre, @Ben`);
      await team.ephemeral('ana', /You changed #\d+ .*@sre.*ben/s);

      expect(await read(scene)).toMatchObject({ lead: '@sre', communications: 'ben@example.com' });
    }));

  it('takes a service, a mention and me', () =>
    withIncident(async (scene) => {
      const { team } = scene;

      await team.slack
        .as('ana')
        .command('incidents', `/incidents assign payments to me <@${team.slack.as('ben').id}|ben>`);
      await team.ephemeral('ana', /You changed/);

      expect(await read(scene)).toMatchObject({ lead: 'ana@example.com', communications: 'ben@example.com' });
    }));

  it.each([
    ['@nobody-here', /Nothing was assigned: .*nobody-here/],
    ['@sre @ben @cleo', /Nothing was assigned: .*@cleo.*At most two/],
  ])('changes nothing for %s, and says why', (names, answer) =>
    withIncident(async (scene) => {
      await scene.team.slack.as('ana').command('incidents', `/incidents assign #${scene.number} ${names}`);

      await scene.team.ephemeral('ana', answer);
      expect(await read(scene)).toMatchObject({ lead: null, communications: null });
    }),
  );

  it('opens the form without names, and asks which incident is meant', () =>
    withIncident(async ({ team, number }) => {
      const ana = team.slack.as('ana');

      await ana.command('incidents', `/incidents assign #${number}`);
      await team.modal('ana', /Or a group leads/);
      await ana.command('incidents', '/incidents assign #99 @sre');
      await team.ephemeral('ana', /99/);
      await ana.command('incidents', '/incidents assign');

      expect((await team.ephemeral('ana', /Which incident\?/)).text).toContain('`/incidents assign #142`');
    }));
});
