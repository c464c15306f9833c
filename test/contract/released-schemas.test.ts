import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { HAS_DEBIAN_POSTGRES } from '../support/debian-postgres.ts';
import { DECLARED, dumpSchemas, NOTE, RELEASE } from '../support/released-schema.ts';
import { startTestService } from '../support/test-service.ts';

const FOLDER = join(import.meta.dirname, '../released');

it.runIf(RELEASE !== undefined)('keeps the schemas of a release', async () => {
  expect(HAS_DEBIAN_POSTGRES).toBe(true);
  await writeFile(join(FOLDER, `${RELEASE}.sql`), await dumpSchemas());
});

it('has the schemas of every release', async () => {
  const changelog = await readFile(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) \(/gm)].map(([, version]) => `${version}.sql`);

  expect(readdirSync(FOLDER)).toEqual(expect.arrayContaining(released));
});

describe.each(readdirSync(FOLDER))('a database as %s left it', (file) => {
  it('is brought up to date, with what people wrote', async () => {
    await using database = await createEmptyDatabase();
    const client = await database.connect();
    await client.query(await readFile(join(FOLDER, file), 'utf8'));
    await client.end();

    await database.open(BOT_SCHEMA, migrations);
    await using tocsin = await startTestService({ database });
    const readiness = await tocsin.service.readiness();
    const { incidents } = Object(await (await tocsin.call('GET', '/incidents')).json());
    const incident = await (await tocsin.call('GET', `/incidents/${incidents[0].id}`)).text();

    expect(readiness.filter(({ ready }) => !ready)).toEqual([]);
    expect(incidents).toEqual([expect.objectContaining({ title: DECLARED, status: 'open' })]);
    expect(incident).toContain(NOTE);
  });
});
