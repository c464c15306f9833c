import { expect, it } from 'vitest';
import { signIn } from '../support/dashboard.ts';
import { startDashboard } from '../support/dashboard-browser.ts';
import { SCENE_MS, startSimulatedFailure } from '../support/dashboard-scene.ts';
import { keepPicture } from '../support/pictures.ts';
import { SETTLE_MS, type TestService } from '../support/test-service.ts';

/** @returns the path of its page */
async function createIntegration(tocsin: TestService): Promise<string> {
  const admin = await signIn(tocsin, tocsin.readWriteKey, 'Ana');
  await admin.visit('/settings/integrations', { form: { type: 'otlp', name: 'collector', url: '' } });
  const page = await (await admin.visit('/settings/integrations')).text();
  return `/settings/${/integrations\/int_\w+/.exec(page)?.[0]}`;
}

it('shows its pages as the pictures in the docs have it', async () => {
  await using dashboard = await startDashboard({ aheadMs: -SCENE_MS - SETTLE_MS });
  const number = await startSimulatedFailure(dashboard.tocsin);
  const views = [
    ['incidents', '/incidents', 1_280, 'light'],
    ['incidents-phone', '/incidents', 390, 'dark'],
    ['incident', `/incidents/${number}`, 1_280, 'light'],
    ['services', '/services', 1_280, 'light'],
    ['integration', await createIntegration(dashboard.tocsin), 1_120, 'light'],
  ] as const;

  for (const [name, path, width, colorScheme] of views) {
    await using opened = await dashboard.open(path, { width, colorScheme, name: 'Ana' });
    await opened.page.setViewportSize({ width, height: 860 });
    expect(await opened.page.locator('h1').count()).toBe(1);
    await keepPicture(opened.page, `dashboard/${name}.png`);
  }
});

it('shows the deployment, the harm, its way to people and the evidence on the first screen', async () => {
  await using dashboard = await startDashboard();
  const number = await startSimulatedFailure(dashboard.tocsin);

  await using opened = await dashboard.open(`/incidents/${number}`);

  for (const width of [1_280, 390]) {
    await opened.page.setViewportSize({ width, height: 900 });
    const marks = opened.page.locator('.mark-deploy text').filter({ visible: true });
    expect(await marks.allTextContents()).toEqual(['deploy payments 1.4.2']);
  }
  await opened.page.setViewportSize({ width: 1_280, height: 900 });
  const markdown = await opened.page.request.get(`${dashboard.url}/dashboard/incidents/${number}/text`);
  const harm = /\d+ of \d+ requests failed since .*, now \d+ a minute/;
  expect(await opened.page.locator('.impact').innerText()).toMatch(harm);
  expect(await markdown.text()).toMatch(harm);
  expect(await opened.page.locator('.path').innerText()).toMatch(/★ payments\s.*\d+ requests.*\s.*checkout.*web/s);
  expect(await opened.page.locator('.messages').innerText()).toContain('no merchant account for currency EUR');
  const steps = await opened.page.locator('.trace .step').allInnerTexts();
  expect(steps.map((step) => step.split(' ')[0])).toEqual(['web', 'web', 'checkout', 'checkout', 'payments']);
  const evidence = await opened.page.locator('.messages').boundingBox();
  expect((evidence?.y ?? 900) + (evidence?.height ?? 0)).toBeLessThan(900);
});
