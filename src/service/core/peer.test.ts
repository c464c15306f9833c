import { expect, it } from 'vitest';
import { peerOf, serverOf } from './peer.ts';
import type { Attributes } from './telemetry.ts';

/** Attributes by the semantic conventions of OpenTelemetry, stable and before. */
it.each<[string, Attributes, string | null]>([
  ['the name that the caller gives', { 'peer.service': 'bank', 'server.address': 'bank.example.com' }, 'bank'],
  ['its newer attribute', { 'service.peer.name': 'bank', 'peer.service': 'old' }, 'bank'],
  [
    'a database',
    { 'db.system.name': 'postgresql', 'server.address': 'db-1', 'server.port': 5432, 'db.namespace': 'orders' },
    'postgresql:db-1/orders',
  ],
  [
    'a database by the older attributes',
    { 'db.system': 'mysql', 'net.peer.name': 'DB-1', 'db.name': 'shop' },
    'mysql:db-1/shop',
  ],
  ['a database without a place', { 'db.system': 'dynamodb' }, 'dynamodb'],
  ['a database by its address', { 'db.system': 'redis', 'server.address': '10.0.0.7' }, 'redis:10.0.0.7'],
  [
    'a database by the former name of its kind, which other senders still tell',
    { 'db.system.name': 'microsoft.sql_server', 'server.address': 'sql-1', 'db.namespace': 'shop' },
    'mssql:sql-1/shop',
  ],
  [
    'a function by its name, not by the host of its cloud',
    { 'faas.invoked_name': 'charge', 'server.address': 'lambda.eu-central-1.amazonaws.com' },
    'charge',
  ],
  [
    'the cluster of Envoy, not the host that its client asked for',
    {
      'http.url': 'http://shop.example.com/images/1.jpg',
      'upstream_cluster.name': 'images',
      'peer.address': '10.0.0.7',
    },
    'images',
  ],
  [
    'the service in a cluster of Istio',
    { 'http.url': 'http://10.0.0.7:9080/', upstream_cluster: 'outbound|9080|v1|reviews.shop.svc.cluster.local' },
    'reviews',
  ],
  [
    'the host that a client asked for, if the cluster is none',
    { 'http.url': 'https://api.stripe.com/v1', upstream_cluster: 'PassthroughCluster' },
    'api.stripe.com',
  ],
  ['no database inside the process', { 'db.system': 'sqlite', 'db.name': 'main' }, null],
  ['a queue', { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' }, 'kafka:orders'],
  [
    'a queue by its template',
    {
      'messaging.system': 'rabbitmq',
      'messaging.destination.name': 'orders.4711',
      'messaging.destination.template': 'orders.{id}',
    },
    'rabbitmq:orders.{id}',
  ],
  [
    'the broker of a temporary queue',
    { 'messaging.system': 'jms', 'messaging.destination.name': 'q-17', 'messaging.destination.temporary': true },
    'jms',
  ],
  ['a host outside', { 'server.address': 'api.stripe.com', 'server.port': 443 }, 'api.stripe.com'],
  ['a host in an address', { 'http.url': 'https://API.stripe.com:8443/v1/charges?key=1' }, 'api.stripe.com'],
  ['a service of a cluster', { 'server.address': 'payments.shop.svc.cluster.local' }, 'payments'],
  ['a service of Consul', { 'server.address': 'payments.service.consul' }, 'payments'],
  ['a service by its short name', { 'server.address': 'payments' }, 'payments'],
  ['no address of IPv4', { 'server.address': '10.1.2.3' }, null],
  ['no address of IPv6', { 'server.address': 'fe80::1' }, null],
  ['no address of this machine', { 'server.address': 'localhost' }, null],
  ['nothing without attributes', {}, null],
])('finds %s', (_, attributes, peer) => {
  expect(peerOf(attributes)).toBe(peer);
});

it.each([
  ['kafka:orders', 'kafka'],
  ['rabbitmq:/shop/orders', 'rabbitmq'],
  ['postgresql:db-1/orders', 'postgresql:db-1'],
  ['dynamodb:dynamodb.eu-west-1.amazonaws.com/carts', 'dynamodb:dynamodb.eu-west-1.amazonaws.com'],
  ['postgresql:orders', null],
  ['kafka', null],
  ['api.stripe.com', null],
  ['payments', null],
])('takes %s for a part of %s', (peer, server) => {
  expect(serverOf(peer)).toBe(server);
});
