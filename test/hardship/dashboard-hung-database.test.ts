import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { startDashboard } from '../support/dashboard-browser.ts';

it.each(['sessions', 'incidents', 'signals'])(
  'says that the database hangs when somebody has locked %s, keeps what was typed, and recovers',
  async (table) => {
    await using dashboard = await startDashboard();
    const { tocsin } = dashboard;
    await tocsin.failIn(['payments']);
    const { number } = await tocsin.openIncident();
    await using opened = await dashboard.open(`/incidents/${number}`, { name: 'Ana' });
    const { page } = opened;
    const status = page.locator('#live-status');
    await status.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Note, for everybody').fill('half a sentence');
    const other = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

    // The note may be stored before the page that follows it hangs; then nothing is offered again.
    let isStored = false;
    await other.transaction().execute(async (tx) => {
      await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
      await status.getByText('the database does not answer').waitFor();
      expect((await page.locator('.top').boundingBox())?.height).toBeLessThan(60); // one row, so that nothing moves
      expect(await page.getByLabel('Note, for everybody').inputValue()).toBe('half a sentence');
      await page.getByLabel('Note, for everybody').press('Control+Enter');
      await page.getByRole('heading', { name: 'The database does not answer' }).waitFor();
      const typed = page.getByLabel('What you typed');
      isStored = (await typed.count()) === 0;
      expect(isStored ? 'stored' : await typed.inputValue()).toMatch(/^stored$|^half a sentence$/);
    });

    await (isStored ? page.reload() : page.getByRole('button', { name: 'Send it again' }).click());
    await page.locator('#incident-timeline').getByText('half a sentence').first().waitFor();
    await status.getByText('Live', { exact: true }).waitFor();
  },
);
