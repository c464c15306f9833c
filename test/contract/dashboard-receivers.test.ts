import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { startBotTeam } from '../support/bot-team.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { answer, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const start = () => startDashboard({ namesOwnAddress: true, webhooks: { allowPrivateAddresses: true } });

const open = (dashboard: DashboardInBrowser) =>
  dashboard.open('/settings/integrations', { permissions: ['clipboard-read', 'clipboard-write'] });

async function fill(page: Page, type: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByLabel('Type').selectOption(type);
  for (const [label, value] of Object.entries({ Name: type, ...fields })) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
  await page.getByRole('button', { name: 'Create' }).click();
}

async function sendTest(page: Page, receiver: WebhookReceiver): Promise<void> {
  await page.locator('#integration-facts', { hasText: 'waiting for the first delivery' }).waitFor();
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await receiver.take(1);
  await page.locator('#integration-facts', { hasText: 'works' }).waitFor();
}

it('sets up a webhook, whose events the copied secret verifies', async () => {
  await using dashboard = await start();
  await using receiver = await startWebhookReceiver();
  await using opened = await open(dashboard);
  const { page } = opened;

  await fill(page, 'webhook', { Address: receiver.url });
  await page.getByRole('button', { name: 'Copy the secret' }).click();
  await page.getByText('Copied').waitFor();
  const secret = String(await page.evaluate('navigator.clipboard.readText()'));
  await page.getByRole('link', { name: 'Go on to the integration' }).click();
  await sendTest(page, receiver);
  await dashboard.tocsin.failIn(['payments']);
  const [test, event] = await receiver.take(2);

  expect(new Webhook(secret).verify(test?.body ?? '', test?.headers ?? {})).toMatchObject({});
  expect(new Webhook(secret).verify(event?.body ?? '', event?.headers ?? {})).toMatchObject({
    type: 'incident.opened',
  });
  expect(opened.complaints).toEqual([]);
});

it('sets up PagerDuty, which is paged for an incident with the given key', async () => {
  await using dashboard = await start();
  await using receiver = await startWebhookReceiver(answer(202));
  await using opened = await open(dashboard);
  const { page } = opened;
  const key = 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3';

  await fill(page, 'pagerduty', { Address: receiver.url, 'Integration key': key });
  await sendTest(page, receiver);
  await dashboard.tocsin.failIn(['payments']);
  const paged = await receiver.take(2);

  expect(paged.map(({ body }) => JSON.parse(body))).toMatchObject([
    { routing_key: key },
    { routing_key: key, event_action: 'trigger', payload: { source: 'payments' } },
  ]);
});

it('needs no form for Slack: the bot registers, and works with its first card', async () => {
  await using dashboard = await start();
  const { tocsin, url } = dashboard;
  await using team = await startBotTeam({ service: { baseUrl: `${url}/v1`, apiKey: tocsin.readWriteKey } });
  await using opened = await open(dashboard);
  const { page } = opened;
  const row = page.getByRole('row', { name: 'Slack' });

  await row.getByText('waiting for the first card').waitFor();
  const types = await page.getByLabel('Type').locator('option').allTextContents();
  await tocsin.failIn(['payments']);
  await team.card(/payments/);
  await expect
    .poll(async () => {
      await page.reload();
      return row.textContent();
    })
    .toContain('works');

  expect(types).toContain('Webhook');
  expect(types).not.toContain('Slack');
});
