import type { ClientConfig } from 'pg';
import { DatabaseStartError } from './errors.ts';

/** How to connect, and a name of the server without password for messages. */
export interface DatabaseAddress {
  readonly connection: ClientConfig;
  readonly name: string;
}

/** @throws DatabaseStartError when it is not a URL of PostgreSQL */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new DatabaseStartError('DATABASE_URL must be like postgres://user:password@host:5432/database');
  }
  const options = url.searchParams.get('options');
  url.searchParams.delete('options'); // would override the options that we set
  return {
    connection: { connectionString: url.href, ...(options !== null && { options }) },
    name: `${decodeURIComponent(url.host)}${url.pathname}`,
  };
}
