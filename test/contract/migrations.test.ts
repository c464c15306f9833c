import { expect, it } from 'vitest';
import { migrations as botMigrations } from '../../src/bot/migrations.ts';
import { textOf } from '../../src/database/migration-text.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';

/** What a version that still runs may not survive; see docs/decisions/0020. */
const TAKES_AWAY = /\bdrop (?:table|column|view|function)\b|\brename\b|\bset not null\b|\balter column \S+ type\b/i;

it.each([
  ['service', serviceMigrations],
  ['bot', botMigrations],
])(
  'takes nothing away from a version of the %s that runs beside, except in migrations that say so',
  async (_part, all) => {
    const [, ...later] = Object.entries(all); // the first one creates everything
    const expanding = later.filter(([name]) => !/^\d+-contract-/.test(name));

    const statements = await Promise.all(expanding.map(async ([, migration]) => await textOf(migration)));

    expect(statements.filter((text) => text === '' || TAKES_AWAY.test(text))).toEqual([]);
  },
);
