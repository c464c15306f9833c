import { describe, expect, it } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { startBotTeam } from '../support/bot-team.ts';
import { stranger } from '../support/dashboard.ts';
import { withRealTeam } from '../support/real-team.ts';

describe('the statistics', () => {
  it('agree with the list of the service', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const payments = await service.openIncident();
      await service.call('POST', `/incidents/${payments.id}/acknowledge`, { body: { user: 'ana' } });
      await service.call('POST', `/incidents/${payments.id}/resolve`, { body: { resolution_note: 'restarted' } });
      await service.failIn(['orders']);
      await service.openIncident();
      const response = await service.call('GET', '/incidents?limit=200');
      const { incidents } = IncidentList.parse(await response.json());
      const closed = incidents.filter(({ status }) => status === 'closed');

      await team.slack.as('ana').command('incidents', '/incidents stats 7d');
      await team.slack.as('ben').command('incidents', '/incidents stats payments');

      const { text } = await team.ephemeral('ana', /Incidents opened in the last 7d/);
      expect(text).toContain(
        `• ${incidents.length} incidents: ${incidents.length - closed.length} open, ${closed.length} closed`,
      );
      expect(text).toMatch(/Time to acknowledge: median .* \(1 acknowledged\)/);
      expect(text).toMatch(/Most frequent roots: .*`orders` 1/);
      expect(text).toContain(`• Noise: 0 of ${closed.length} closed`);
      expect((await team.ephemeral('ben', /Incidents with `payments` opened/)).text).toContain(
        '• 1 incident: 0 open, 1 closed',
      );
    }));
});

describe('a handover', () => {
  it('is posted to the channel, with what is open and what was closed', async () => {
    await using team = await startBotTeam({
      before: ({ service }) =>
        service.showMore(({ status }) => ({ closed_at: status === 'closed' ? new Date().toISOString() : null })),
    });
    const closed = team.service.openIncident({ service: 'orders' });
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${closed} rolled back 1.2.3`);
    await team.ephemeral('ana', /You closed/);

    await team.slack.as('ana').command('incidents', '/incidents handover 8h');

    const { text } = await team.slack.waitFor(() =>
      team.slack.messages('incidents').find((each) => each.text.startsWith('Handover')),
    );
    expect(text).toContain('2 incidents opened, 1 closed, 1 open now.');
    expect(text).toMatch(/Not acknowledged\n• .*payments: opened/);
    expect(text).toMatch(/Closed\n• .*orders: Closed by ana, .*: rolled back 1\.2\.3/);
  });
});

describe('the export of an incident', () => {
  it('is a Markdown file in the thread of its card', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { number } = await service.openIncident();
      const card = await team.card(/payments/);
      await team.slack.as('ana').command('incidents', `/incidents ack ${number}`);
      await team.ephemeral('ana', /You acknowledged/);

      await team.slack.as('ana').command('incidents', `/incidents export #${number}`);

      await team.ephemeral('ana', /The timeline of #\d+ .* is in the thread of its card/);
      const shared = team.slack
        .messages('incidents')
        .find(({ threadTs, files }) => threadTs === card.ts && files.length > 0);
      expect(shared?.files).toHaveLength(1);
      const upload = team.slack.calls.find(({ method }) => method === 'files.getUploadURLExternal');
      expect(upload?.args.filename).toBe(`incident-${number}.md`);
    }));

  it('is text where the app may not write files', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /You acknowledged/);
    team.slack.faults.next('files.getUploadURLExternal', { kind: 'error', error: 'missing_scope' });

    await team.slack.as('ana').command('incidents', `/incidents export ${id}`);

    const { text } = await team.ephemeral('ana', /as text, because Slack did not take the file/);
    expect(text).toMatch(/# Incident .*: payments/);
    expect(text).toMatch(/- \d{4}-.* UTC acknowledge: done by ana@example\.com/);
  });
});

describe('the audit log', () => {
  it('is sent as CSV to those who may act, with who did what from where', async () => {
    await using team = await startBotTeam({
      responderGroups: ['sre'],
      before: ({ slack }) => void slack.as('ana').setUserGroup('sre', ['ana']),
    });
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');
    await team.ephemeral('ana', /You acknowledged/);
    team.slack.faults.next('files.getUploadURLExternal', { kind: 'error', error: 'missing_scope' });

    await team.slack.as('ben').command('incidents', '/incidents export audit');
    await team.ephemeral('ben', /only members of @sre/);
    await team.slack.as('ana').command('incidents', '/incidents export audit');

    const { text } = await team.ephemeral('ana', /The audit log as text/);
    const entry = `acknowledge,done,ana@example.com,U0ANA00001,${id},C0INCIDENT,incident_acknowledge,`;
    expect(text).toContain(entry);
    expect(text).toContain('/incidents export,refused,,U0BEN00001,,C0INCIDENT,/incidents export,no-responder');
    await team.slack.as('ana').command('incidents', '/incidents export audit 7d');
    await team.ephemeral('ana', /The audit log is in your direct messages/);
  });
});

describe('a link to the dashboard', () => {
  it('signs in with the role that the person has in Slack, and only they see it', () =>
    withRealTeam(
      async (team) => {
        await team.slack.as('ana').command('incidents', '/incidents dashboard');
        await team.slack.as('ben').command('incidents', '/incidents dashboard');

        const link = await team.ephemeral(
          'ana',
          /look at and act on incidents\. This link is for you alone, works once/,
        );
        await team.ephemeral('ben', /lets you look at incidents/);
        expect(JSON.stringify(link.blocks)).toMatch(/"url":"http:[^"]+\/dashboard\/[^"]+"/);
        expect(link.text).not.toContain('http');
        expect(
          team.slack
            .messages('incidents')
            .map(({ text }) => text)
            .join(),
        ).not.toContain('dashboard lets you');
      },
      {
        responderGroups: ['sre'],
        before: ({ slack }) => void slack.as('ana').setUserGroup('sre', ['ana']),
      },
    ));

  it('makes admins of the members of ADMIN_GROUPS', () =>
    withRealTeam(
      async (team) => {
        await team.slack.as('ana').command('incidents', '/incidents dashboard');
        await team.slack.as('ben').command('incidents', '/incidents dashboard');

        const [admin, other] = [
          await team.ephemeral('ana', /dashboard lets you/),
          await team.ephemeral('ben', /dashboard lets you/),
        ];
        expect(admin.text).toContain('look at and act on incidents, and change its settings.');
        expect(other.text).toContain('look at and act on incidents.');
      },
      { adminGroups: ['leads'], before: ({ slack }) => void slack.as('ana').setUserGroup('leads', ['ana']) },
    ));

  it('leads to the incident that was named', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { number } = await service.openIncident();
      await team.card(/payments/);

      await team.slack.as('ana').command('incidents', `/incidents dashboard #${number}`);

      const link = await team.ephemeral('ana', /This link is for you alone/);
      expect(JSON.stringify(link.blocks)).toContain(`Open incident #${number}`);
      const [, path = ''] = /"url":"http[^"]*?(\/dashboard\/sign-in[^"]+)"/.exec(JSON.stringify(link.blocks)) ?? [];
      const used = await stranger(service).visit(path.replace('/dashboard', ''), { form: {} });
      expect(used.headers.get('location')).toBe(`/dashboard/incidents/${number}`);

      await team.slack.as('ben').command('incidents', '/incidents dashboard #999');
      await team.ephemeral('ben', /999/);
    }));

  it('is absent where the service offers none', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });

    await team.slack.as('ana').command('incidents', '/incidents dashboard');

    expect((await team.ephemeral('ana', /has no dashboard/)).text).not.toContain('http');
  });
});
