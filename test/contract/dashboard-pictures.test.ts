import { expect, it } from 'vitest';
import { startDashboard } from '../support/dashboard-browser.ts';
import { startSimulatedFailure } from '../support/dashboard-scene.ts';
import { keepPicture } from '../support/pictures.ts';

it('shows an incident as the pictures in the docs have it', { timeout: 120_000 }, async () => {
  await using dashboard = await startDashboard();
  const number = await startSimulatedFailure(dashboard.tocsin);
  const views = [
    ['incidents', '/incidents', 1_120, 'light'],
    ['incidents-phone', '/incidents', 390, 'dark'],
    ['incident', `/incidents/${number}`, 1_120, 'light'],
    ['incident-dark', `/incidents/${number}`, 1_120, 'dark'],
    ['signals', '/signals', 1_120, 'light'],
    ['services', '/services', 1_120, 'light'],
  ] as const;

  for (const [name, path, width, colorScheme] of views) {
    await using opened = await dashboard.open(path, { width, colorScheme, name: 'Ana' });
    await opened.page.setViewportSize({ width, height: 860 });
    expect(await opened.page.locator('h1').count()).toBe(1);
    if (name === 'incident') {
      expect(await opened.page.locator('.mark-deploy').textContent()).toBe('deploy payments 1.4.2');
    }
    await keepPicture(opened.page, `dashboard/${name}.png`);
  }
});
