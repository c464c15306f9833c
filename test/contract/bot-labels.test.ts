import { expect, it } from 'vitest';
import { alertNotification } from '../support/alert-notification.ts';
import { type BotTeam, eventually, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { withRealTeam } from '../support/real-team.ts';

function alert(service: string, labels: Readonly<Record<string, string>>): object {
  const notification = alertNotification(new Date(), null, { service, alertname: `${service} fails`, ...labels });
  return { ...notification, alerts: notification.alerts.map((each) => ({ ...each, fingerprint: service })) };
}

const cards = (team: BotTeam, channel: string) =>
  team.slack
    .messages(channel)
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_card')
    .map(({ text }) => /payments|search/.exec(text)?.[0]);

it('sends the incidents of a team to its channel', async () => {
  await withRealTeam(async (team, service) => {
    await nothingToReport(team);
    await service.call('POST', '/alertmanager', { body: alert('search', { team: 'search', env: 'prod' }) });
    service.advance(2_000);
    await team.card(/search/);
    await team.slack.as('ana').command('general', '/incidents subscribe team:payments');
    const form = await team.modal('ana', /rule_labels/);
    const { options } = await team.slack.as('ana').suggest(form, 'rule_labels', 'prod');
    await team.slack.as('ana').submit(form, { rule_labels: ['team:payments'] });
    const check = await team.modal('ana', /In the last 7 days/);
    await team.slack.as('ana').submit(check, {});
    await team.ephemeral('ana', /Saved: all incidents with `team:payments` come to/, 'general');
    await service.call('POST', '/alertmanager', { body: alert('payments', { team: 'payments', env: 'prod' }) });
    service.advance(2_000);
    await team.card(/payments/);
    await eventually(() => cards(team, 'general').length > 0);
    await team.slack.as('ana').command('incidents', '/incidents open team:Payments env:prod');
    const list = await team.ephemeral('ana', /open incident/);

    expect(JSON.stringify(form.content.blocks)).toContain('"value":"team:payments"');
    expect((options as { value: string }[])[0]?.value).toBe('env:prod');
    expect(JSON.stringify(check.content.blocks)).toContain('would have posted *0 cards* here');
    expect(cards(team, 'general')).toEqual(['payments']);
    expect(list.text).toMatch(/1 open incident matching team:Payments env:prod/);
    expect(list.text).toContain('payments fails');
    expect(list.text).not.toContain('search fails');
  });
});

it('says that a service reports no labels, in the form, its check and the list', async () => {
  await using team = await startBotTeam();
  await nothingToReport(team);
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', '/incidents subscribe env:prod');
  const form = await team.modal('ana', /rule_labels/);
  await team.slack.as('ana').submit(form, { rule_labels: ['env:prod'] });
  const check = await team.modal('ana', /In the last 7 days/);
  await team.slack.as('ana').command('incidents', '/incidents open env:prod');
  const list = await team.ephemeral('ana', /1 open incident/);

  const words = 'This incident service reports no labels, so a condition on them matches every incident.';
  expect(JSON.stringify(form.content.blocks)).toContain(words);
  expect(JSON.stringify(check.content.blocks)).toContain(words);
  expect(list.text).toContain(words);
});
