import type { Attributes } from './telemetry.ts';
import { clip, TEXT_LIMITS } from './text.ts';

/** The called service, as its caller names it by `service.peer.name` or `peer.service`; empty when it does not. */
export function peerService(attributes: Attributes): string {
  return nameIn(attributes, ['service.peer.name', 'peer.service']);
}

/**
 * The other end of a call. What sends no telemetry itself is known only by this name: a database is
 * `postgresql:db-1/orders`, a queue `kafka:orders`, another host `api.stripe.com`. Names of a cluster are reduced to the
 * service: `payments.shop.svc.cluster.local` is `payments`. A function is called by its name: all share the host of their cloud.
 * A proxy of Envoy names the cluster that it sends to.
 *
 * @param attributes of a client or producer span, by the current semantic conventions or the ones before
 * @returns null: the caller does not say
 */
export function peerOf(attributes: Attributes): string | null {
  const peer =
    peerService(attributes) ||
    nameIn(attributes, ['faas.invoked_name']) ||
    databaseOf(attributes) ||
    queueOf(attributes) ||
    serviceOfHost(clusterOf(attributes) || hostOf(attributes));
  return peer === '' ? null : clip(peer, TEXT_LIMITS.service);
}

/** Well-known values of `messaging.system` in the semantic conventions, and NATS. */
const MESSAGING_SYSTEMS = new Set([
  'activemq',
  'aws.sns',
  'aws_sqs',
  'eventgrid',
  'eventhubs',
  'gcp_pubsub',
  'jms',
  'kafka',
  'nats',
  'pulsar',
  'rabbitmq',
  'rocketmq',
  'servicebus',
]);

/**
 * The server that several peers may be parts of, by a name of `peerOf`: the broker of a queue, `kafka` of `kafka:orders`, or
 * the server of a database, `postgresql:db-1` of `postgresql:db-1/orders`.
 *
 * @returns null: it is no part of something
 */
export function serverOf(peer: string): string | null {
  const [system = '', part] = peer.split(':', 2);
  if (part === undefined || part === '') {
    return null;
  }
  if (MESSAGING_SYSTEMS.has(system)) {
    return system;
  }
  const end = peer.lastIndexOf('/');
  return end > system.length + 1 ? peer.slice(0, end) : null;
}

/** They run inside the process that uses them. */
const EMBEDDED_DATABASES = new Set(['sqlite', 'h2', 'h2database', 'hsqldb', 'derby']);

/**
 * Kinds of databases that the stable conventions renamed, by the names of now. Senders change one by one, and some of them
 * call the same database.
 */
const FORMER_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['actian.ingres', 'ingres'],
  ['aws.dynamodb', 'dynamodb'],
  ['aws.redshift', 'redshift'],
  ['azure.cosmosdb', 'cosmosdb'],
  ['firebirdsql', 'firebird'],
  ['gcp.spanner', 'spanner'],
  ['ibm.db2', 'db2'],
  ['ibm.informix', 'informix'],
  ['ibm.netezza', 'netezza'],
  ['intersystems.cache', 'intersystems_cache'],
  ['microsoft.sql_server', 'mssql'],
  ['oracle.db', 'oracle'],
  ['sap.hana', 'hanadb'],
  ['sap.maxdb', 'maxdb'],
  ['softwareag.adabas', 'adabas'],
]);

function databaseOf(attributes: Attributes): string {
  const named = nameIn(attributes, ['db.system.name', 'db.system']);
  const system = FORMER_SYSTEMS.get(named) ?? named;
  if (system === '' || EMBEDDED_DATABASES.has(system)) {
    return '';
  }
  const place = [hostOf(attributes), nameIn(attributes, ['db.namespace', 'db.name'])].filter((part) => part !== '');
  return place.length === 0 ? system : `${system}:${place.join('/')}`;
}

function queueOf(attributes: Attributes): string {
  const system = nameIn(attributes, ['messaging.system']);
  const isOfOneClient =
    attributes['messaging.destination.temporary'] === true || attributes['messaging.destination.anonymous'] === true;
  const queue = isOfOneClient
    ? ''
    : nameIn(attributes, ['messaging.destination.template', 'messaging.destination.name', 'messaging.destination']);
  return system === '' || queue === '' ? system || queue : `${system}:${queue}`;
}

/** Clusters of Istio that are no service: what comes in to the proxy itself, and what goes to any address. */
const NO_SERVICE = /^(?:-|inbound\|.*|(?:Passthrough|BlackHole|InboundPassthrough)Cluster.*)$/;

/**
 * Where a proxy of Envoy sends a request: the host in its spans is the one that the client asked for. Istio calls a cluster
 * `outbound|9080|v1|reviews.shop.svc.cluster.local`.
 */
function clusterOf(attributes: Attributes): string {
  const cluster = nameIn(attributes, ['upstream_cluster.name', 'upstream_cluster']);
  return NO_SERVICE.test(cluster) ? '' : (cluster.split(/[|;]/).findLast((part) => part !== '') ?? '');
}

function hostOf(attributes: Attributes): string {
  const host = nameIn(attributes, ['server.address', 'net.peer.name', 'http.host']);
  const url = host === '' ? URL.parse(nameIn(attributes, ['url.full', 'http.url'])) : null;
  return (url?.hostname ?? host).replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}

/** Host names that end so are names of services inside a cluster or network. */
const INSIDE = /\.(?:svc|svc\.[\w.-]+|service\.consul|local|internal|localdomain|lan|home\.arpa)$/;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[?[0-9a-f:.]*:[0-9a-f:.]*\]?|localhost|.*\.localhost)$/;

/** The service behind a host name; empty for an address, which moves from one service to another. */
export function serviceOfHost(host: string): string {
  if (ADDRESS.test(host)) {
    return '';
  }
  return INSIDE.test(host) ? (host.split('.')[0] ?? '') : host;
}

/** More than a host name has; the host of an address is in its beginning. */
const READ_CHARACTERS = 400;

function nameIn(attributes: Attributes, keys: readonly string[]): string {
  for (const key of keys) {
    const value = attributes[key];
    const name = typeof value === 'string' ? value.slice(0, READ_CHARACTERS).trim() : '';
    if (name !== '') {
      return name;
    }
  }
  return '';
}
