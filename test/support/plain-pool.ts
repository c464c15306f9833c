import { Pool } from 'pg';

/**
 * A pool of `pg` itself, for tests that watch statements. It ends before its connections do, and a database that is
 * dropped then cuts them, which is no error of the test.
 */
export function createPlainPool(connectionString: string, schema: string): Pool {
  const pool = new Pool({ connectionString, options: `-c search_path=${schema}` });
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  pool.on('error', () => undefined);
  return pool;
}
