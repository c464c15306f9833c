import type { ClientConfig } from 'pg';
import { DatabaseStartError } from './errors.ts';

/** How to connect, and the name of the server for people: no password in it. */
export interface DatabaseAddress {
  readonly connection: ClientConfig;
  readonly name: string;
}

/** @throws DatabaseStartError when it is no address of a PostgreSQL */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new DatabaseStartError('DATABASE_URL must be like postgres://user:password@host:5432/database');
  }
  const options = url.searchParams.get('options');
  url.searchParams.delete('options'); // it would win over those that a connection sets beside the address
  return {
    connection: { connectionString: url.href, ...(options !== null && { options }) },
    name: `${decodeURIComponent(url.host)}${url.pathname}`,
  };
}
