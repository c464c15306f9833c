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

describe('the form of a change', () => {
  it('leaves a root alone that was set by hand and whose name no option can have', () =>
    withIncident(async (scene) => {
      const { team, service, id, number } = scene;
      const ana = team.slack.as('ana');
      const root = `payments-${'of-a-long-name-'.repeat(6)}`;
      await service.call('PATCH', `/incidents/${id}`, { body: { root_service: root, user: 'ben' } });
      await team.card(/of-a-long-name/);

      await ana.command('incidents', `/incidents change #${number}`);
      await ana.submit(await team.modal('ana', /Root service/), { Severity: 'warning' });
      await team.ephemeral('ana', /You changed/);

      expect(await read(scene)).toMatchObject({ root_service: root, severity: 'warning' });
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

      await team.slack.as('ana').command('incidents', '/incidents assign payments to me @ben');
      await team.ephemeral('ana', /You changed/);

      expect(await read(scene)).toMatchObject({ lead: 'ana@example.com', communications: 'ben@example.com' });
    }));

  it('says whom somebody replaced, and tells them in the thread', () =>
    withIncident(async (scene) => {
      const { team, number } = scene;
      const ana = team.slack.as('ana');
      await ana.command('incidents', `/incidents assign #${number} @ben`);
      await team.ephemeral('ana', /lead ben/);
      const inThread = (words: RegExp) =>
        team.slack.waitFor(() => team.slack.messages('incidents').find(({ text }) => words.test(text)));
      await inThread(/^ben leads$/m);

      await ana.command('incidents', `/incidents assign #${number} me`);
      const receipt = await team.ephemeral('ana', /lead ana/);

      expect(receipt.text).toContain('lead ana instead of ben');
      expect((await inThread(/^ana leads/m)).text).toMatch(/ana leads instead of <@U\w+>/);
    }));

  it.each([
    ['@nobody-here', /Nothing was assigned: `@nobody-here` names no single person or group here/],
    ['@sre @ben @cleo', /Nothing was assigned: at most two/],
    ['@chloe', /Nothing was assigned: .*is a guest of this workspace/],
    ['@elif', /Nothing was assigned: .*is not in this workspace/],
    ['@tocsin', /Nothing was assigned: .*is an app/],
    ['<@U0GONE0001>', /Nothing was assigned: .*is not in this workspace/],
    ['<!subteam^S0GONE0001>', /Nothing was assigned: .*S0GONE0001.* names no single person or group here/],
  ])('changes nothing for %s, and says why', (names, answer) =>
    withIncident(async (scene) => {
      await scene.team.slack.as('ana').command('incidents', `/incidents assign #${scene.number} ${names}`);

      await scene.team.ephemeral('ana', answer);
      expect(await read(scene)).toMatchObject({ lead: null, communications: null });
    }),
  );

  it('stores the command before it asks Slack who that is, and answers in its own words', () =>
    withIncident(async (scene) => {
      const { team, number } = scene;
      const ana = team.slack.as('ana');
      team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 2 });

      const { ack } = await ana.command('incidents', `/incidents assign #${number} @ben`);
      await team.ephemeral('ana', /Slack is not saying right now who is who.*change is saved/);
      await team.directMessage('ana', /You changed #\d+ .*ben/s);

      expect(ack?.kind).toBe('acked');
      expect(await read(scene)).toMatchObject({ lead: 'ben@example.com' });
    }));

  it('opens the form without names, and without a number for the only open incident', () =>
    withIncident(async ({ team, number }) => {
      const ana = team.slack.as('ana');

      await ana.command('incidents', `/incidents assign #${number}`);
      await team.modal('ana', /Or a group leads/);
      await ana.command('incidents', '/incidents assign #99 @sre');
      await team.ephemeral('ana', /99/);
      await ana.command('incidents', '/incidents assign');
      const opened = () => team.slack.calls.filter(({ method }) => method === 'views.open').length;

      expect(await team.slack.waitFor(() => opened() === 2)).toBe(true);
    }));
});
