import { it } from 'vitest';
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

it('draws the pages of the dashboard', async () => {
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
    await keepPicture(opened.page, `dashboard/${name}.png`);
  }
});
