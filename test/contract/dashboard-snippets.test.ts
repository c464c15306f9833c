import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { INGEST_PATHS, type IncomingType } from '../../src/contract/integrations.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { PUSH_PATHS } from '../../src/contract/push.ts';
import { Incident } from '../../src/contract/resources.ts';
import { type DashboardInBrowser, startDashboard } from '../support/dashboard-browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { SDK_SERVICE, SNIPPET_SENDERS } from '../support/snippet-senders.ts';
import { SNS_CERTIFICATE } from '../support/sns-sender.ts';
import { SETTLE_MS, type TestService } from '../support/test-service.ts';

/** These report deployments, before something fails. A heartbeat that comes is no incident, and neither is a single line or value. */
const WITHOUT_INCIDENT: readonly IncomingType[] = [
  'github',
  'gitlab',
  'heartbeat',
  ...(Object.keys(PUSH_PATHS) as IncomingType[]), // what Object.keys gives
];

const FAILING = (Object.keys(INGEST_PATHS) as IncomingType[]) // what Object.keys gives
  .filter((type) => !WITHOUT_INCIDENT.includes(type));

/** Creates an integration by the form. @returns its snippets, as the copy buttons give them */
async function create(page: Page, url: string, type: IncomingType): Promise<readonly string[]> {
  await page.goto(`${url}/dashboard/settings/integrations`);
  await page.getByLabel('Type').selectOption(type);
  await page.getByLabel('Name').fill(type);
  if (type === 'heartbeat') {
    await page.getByLabel('Service').fill('backup');
    await page.getByLabel('Seconds between two heartbeats').fill('3600');
  }
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('#first-signal', { hasText: 'Waiting for the first signal' }).waitFor();
  const snippets: string[] = [];
  for (const button of await page.locator('button[data-copy-from^="snippet-"]').all()) {
    await button.click();
    await button.getByText('Copied').waitFor();
    snippets.push(await page.evaluate('navigator.clipboard.readText()'));
  }
  return snippets;
}

async function sendAll(type: IncomingType, snippets: readonly string[]): Promise<void> {
  expect({ type, snippets: snippets.length }).toEqual({ type, snippets: SNIPPET_SENDERS[type].length });
  for (const [index, use] of SNIPPET_SENDERS[type].entries()) {
    await use(snippets[index] ?? '').catch((cause: unknown) => {
      throw new Error(`snippet ${index} of ${type} does not work`, { cause });
    });
  }
}

/** Any JSON is refused until somebody writes a mapping on what arrived. */
async function map(page: Page, snippets: readonly string[]): Promise<void> {
  await page.locator('#first-signal', { hasText: 'Received, but refused' }).waitFor();
  await page.getByRole('link', { name: 'Go on to the integration' }).click();
  await page.getByLabel('Title (required)').fill('body.title');
  await page.getByRole('button', { name: 'Save the mapping' }).click();
  await page.getByText('a test of Tocsin').first().waitFor();
  await sendAll('json', snippets);
  await page.reload();
}

async function incidentsOf(tocsin: TestService): Promise<readonly Incident[]> {
  const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents?limit=200')).json());
  return Promise.all(
    incidents.map(async ({ id }) => Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json())),
  );
}

/** Telemetry of many senders forms an incident, so that it names none; its service is known. */
async function withoutIncident(tocsin: TestService): Promise<readonly IncomingType[]> {
  const incidents = await incidentsOf(tocsin);
  const named = incidents.flatMap(({ integrations = [] }) => integrations.map(({ name }) => name));
  const isThere = (type: IncomingType) =>
    type === 'otlp' ? incidents.some((each) => each.root_service === SDK_SERVICE) : named.includes(type);
  return FAILING.filter((type) => !isThere(type));
}

async function start(): Promise<DashboardInBrowser> {
  return startDashboard({ namesOwnAddress: true, getFromAmazon: () => Promise.resolve(SNS_CERTIFICATE) });
}

it('is set up for each type by what its page gives to copy, until the page says so and an incident opens', async () => {
  await using dashboard = await start();
  const { tocsin, url } = dashboard;
  await using opened = await dashboard.open('/incidents', { permissions: ['clipboard-read', 'clipboard-write'] });
  const context = opened.page.context();

  const pages = new Map<IncomingType, Page>();
  for (const type of [...WITHOUT_INCIDENT, ...FAILING]) {
    const page = await context.newPage();
    pages.set(type, page);
    const snippets = await create(page, url, type);
    await sendAll(type, snippets);
    if (type === 'json') {
      await map(page, snippets);
    }
  }
  for (const page of pages.values()) {
    await page.locator('#first-signal .calm', { hasText: 'Received' }).waitFor();
  }
  tocsin.advance(SETTLE_MS);
  await expect.poll(() => withoutIncident(tocsin), { timeout: HANG_MS, interval: 500 }).toEqual([]);

  const versions = (await incidentsOf(tocsin)).flatMap(({ changes = [] }) => changes.map(({ version }) => version));
  expect(versions).toEqual(expect.arrayContaining(['f95f852 to production', '279484c0 to production']));
});
