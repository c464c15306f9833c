import { it } from 'vitest';
import { startDashboard } from '../support/dashboard-browser.ts';
import { setOnCallScene } from '../support/on-call-scene.ts';
import { keepPicture } from '../support/pictures.ts';

it('draws a schedule and a dry run', async () => {
  await using dashboard = await startDashboard();
  const { schedule, policy } = await setOnCallScene(dashboard.tocsin);
  const views = [
    ['schedule', `/on-call/${schedule}`, 1_120, 'light'],
    ['schedule-phone', `/on-call/${schedule}`, 390, 'dark'],
    ['dry-run', `/settings/policies?dry-run=${policy}`, 1_120, 'light'],
  ] as const;

  for (const [name, path, width, colorScheme] of views) {
    await using opened = await dashboard.open(path, { width, colorScheme, name: 'Ana' });
    await opened.page.setViewportSize({ width, height: 860 });
    await keepPicture(opened.page, `dashboard/${name}.png`);
  }
});
