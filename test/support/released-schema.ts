import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { openDatabase } from '../../src/database/database.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { prepareDebianPostgres } from './debian-postgres.ts';
import { silentLogger } from './logger.ts';
import { startTestService } from './test-service.ts';

/** Set by `.ci/release.sh`: the version whose schemas are kept from now on. */
export const RELEASE = process.env.RELEASE;

/** For text search; what is in a schema of ours would not be dumped with it. */
const EXTENSION = 'create extension if not exists pg_trgm schema public;\n';

/** What every dump contains, by its title. */
export const DECLARED = 'Checkout is down';
export const NOTE = 'The pool of connections is used up.';

/** Dumps both schemas of this version as SQL, with an incident, its note, its signals and an integration. */
export async function dumpSchemas(): Promise<string> {
  await using postgres = await prepareDebianPostgres();
  await postgres.run('initdb', ['--pgdata=one', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync']);
  const url = await postgres.start('one');
  const database = await openDatabase({ url, dataDir: '', logger: silentLogger });
  {
    await using _closed = database;
    const client = await database.connect();
    await client.query(EXTENSION);
    await client.end();
    await database.open(BOT_SCHEMA, migrations);
    await using tocsin = await startTestService({ database: { ...database, url } });
    const body = { title: DECLARED, service: 'checkout', severity: 'critical', user: 'ana' };
    const { id } = Object(await (await tocsin.call('POST', '/incidents', { body })).json());
    await tocsin.call('POST', `/incidents/${id}/notes`, { body: { user: 'ana', text: NOTE } });
    await tocsin.call('POST', '/integrations', { body: { type: 'generic', name: 'checks' } });
  }
  const schemas = [BOT_SCHEMA, SERVICE_SCHEMA].map((schema) => `--schema=${schema}`);
  const options = ['--no-owner', '--no-privileges', '--no-comments', '--inserts', `--dbname=${url}`, ...schemas];
  const { stdout } = await promisify(execFile)('pg_dump', options, { maxBuffer: 10_000_000 });
  return EXTENSION + stdout.replaceAll(/^(?:--.*|\\.*|)\n/gm, ''); // comments, commands of psql and empty lines
}
