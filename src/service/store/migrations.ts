import type { Migration } from 'kysely/migration';
import { initialMigration } from './initial-migration.ts';

/** Forward only: a released migration is never edited. */
export const serviceMigrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initialMigration,
};
