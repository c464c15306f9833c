import type { ClientConfig } from 'pg';
import { DatabaseStartError } from './errors.ts';
import { type Encryption, readEncryption, TLS_PARAMETERS } from './tls.ts';

/** One of the servers that an address names. */
export interface Host {
  /** A name, an IP address, or the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
}

/** How to connect, and a name of the server without password for messages. */
export interface DatabaseAddress {
  /** User, password, database and the like; the host comes from `hosts`. */
  readonly connection: ClientConfig;
  /** At least one, in the order in which they are tried. */
  readonly hosts: readonly Host[];
  /** Whether only a server that accepts writes will do. */
  readonly demandsWrites: boolean;
  /** The ways to connect to a host, in the order in which they are tried. */
  readonly encryption: readonly Encryption[];
  readonly connectTimeoutMs: number | null;
  readonly name: string;
  /** Poolers in transaction mode may not support prepared statements. */
  readonly preparesStatements: boolean;
}

const EXAMPLE = 'DATABASE_URL must be like postgres://user:password@host:5432/database';
const HOST = /^(?:\[(?<bracketed>.*)\]|(?<plain>[^:]*))(?::(?<port>\d+)?)?$/;
const SHAPE =
  /^postgres(?:ql)?:\/\/(?:(?<credentials>[^@/?#]*)@)?(?<hosts>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/;

/** Parameters of libpq that change nothing here. */
const IGNORED = new Set([
  'client_encoding',
  'gssencmode',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'load_balance_hosts',
  'sslcompression',
  'sslsni',
  'tcp_user_timeout',
  'uselibpqcompat',
]);
const KNOWN = new Set([
  ...IGNORED,
  ...TLS_PARAMETERS,
  'application_name',
  'channel_binding',
  'connect_timeout',
  'dbname',
  'host',
  'options',
  'password',
  'port',
  'prepared_statements', // ours
  'target_session_attrs',
  'user',
]);

/** Whether it has the form of an address of PostgreSQL, with one host or several. */
export function isDatabaseUrl(text: string): boolean {
  return SHAPE.test(text);
}

/**
 * Reads an address as libpq does (PostgreSQL, "Connection URIs"), with several hosts and its TLS parameters. With several
 * hosts, `target_session_attrs` is `read-write` by default, because Tocsin always writes. `prepared_statements=false` turns
 * prepared statements off.
 *
 * @throws DatabaseStartError when it is not a URL of PostgreSQL
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const { credentials = '', hosts: authority = '', database = '', query = '' } = SHAPE.exec(text)?.groups ?? {};
  if (!isDatabaseUrl(text)) {
    throw new DatabaseStartError(EXAMPLE);
  }
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw new DatabaseStartError(`DATABASE_URL has the parameter ${unknown}, which libpq does not know: remove it`);
  }
  const [user = '', ...rest] = credentials.split(':');
  const hosts = readHosts(authority, parameters);
  const named = parameters.get('dbname') ?? decode(database);
  const userName = parameters.get('user') ?? decode(user);
  const password = parameters.get('password') ?? decode(rest.join(':'));
  const seconds = Number(parameters.get('connect_timeout') ?? 0);
  return {
    connection: {
      ...(userName !== '' && { user: userName }),
      ...(password !== '' && { password }),
      ...(named !== '' && { database: named }),
      ...(parameters.has('options') && { options: parameters.get('options') ?? '' }),
      ...(parameters.has('application_name') && { application_name: parameters.get('application_name') ?? '' }),
      ...(/^(prefer|require)$/.test(parameters.get('channel_binding') ?? '') && { enableChannelBinding: true }),
    },
    hosts,
    demandsWrites: readTarget(parameters, hosts.length > 1),
    encryption: readEncryption(parameters),
    preparesStatements: parameters.get('prepared_statements') !== 'false',
    connectTimeoutMs: seconds > 0 ? Math.max(seconds, 2) * 1_000 : null, // libpq: at least 2 s
    name: `${nameHosts(authority, parameters)}/${named}`,
  };
}

function readHosts(authority: string, parameters: URLSearchParams): Host[] {
  const ports = (parameters.get('port') ?? '').split(',');
  const given = parameters.get('host')?.split(',');
  const entries = given ?? authority.split(',');
  const hosts = entries.map((entry, index): Host => {
    const written = given === undefined ? HOST.exec(entry)?.groups : { plain: entry };
    const host = decode(written?.bracketed ?? written?.plain ?? '');
    const port = written?.port ?? ports[index] ?? ports[0] ?? '';
    if (written === undefined || !/^\d{0,5}$/.test(port)) {
      throw new DatabaseStartError(EXAMPLE);
    }
    return { host: host === '' ? 'localhost' : host, port: port === '' ? 5432 : Number(port) };
  });
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new DatabaseStartError(`DATABASE_URL has ${hosts.length} hosts and ${ports.length} ports: give each its own`);
  }
  return hosts;
}

/** @throws DatabaseStartError for a server that cannot be written to */
function readTarget(parameters: URLSearchParams, hasSeveral: boolean): boolean {
  const target = parameters.get('target_session_attrs') ?? (hasSeveral ? 'read-write' : 'any');
  switch (target) {
    case 'any':
      return false;
    case 'read-write':
    case 'primary':
      return true;
    default:
      throw new DatabaseStartError(
        `target_session_attrs=${target} in DATABASE_URL does not work, because Tocsin writes: set it to read-write`,
      );
  }
}

function nameHosts(authority: string, parameters: URLSearchParams): string {
  return parameters.get('host') ?? decode(authority);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new DatabaseStartError(EXAMPLE, { cause });
  }
}
