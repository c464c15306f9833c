import { DatabaseSync } from 'node:sqlite';
import type { Json } from './http-client.ts';

/** What the handlers of a service can use. */
export interface Tools {
  /** Calls another service; throws if that fails. */
  readonly call: (peer: PlaceName, method: 'GET' | 'POST', path: string, body?: Json) => Promise<Json>;
  /** Writes an information log. */
  readonly log: (message: string) => void;
}

type Handler = (body: Json, tools: Tools) => Promise<Json>;
/** Handlers by method and path, such as `POST /charge`. */
type Routes = Readonly<Record<string, Handler>>;
export type ServiceName = (typeof serviceNames)[number];

export const serviceNames = [
  'web',
  'catalog',
  'checkout',
  'inventory',
  'payments',
  'refunds',
  'bank-gateway',
  'orders',
  'orders-db',
] as const;

/** Others' services that the shop calls. They send no telemetry. */
export const vendorNames = ['card-network'] as const;
export type VendorName = (typeof vendorNames)[number];
export type PlaceName = ServiceName | VendorName;

/** Services with more than one instance. */
export const INSTANCES: Partial<Record<PlaceName, number>> = { catalog: 2 };

/** The business logic of the shop and of its vendors. Each journey of a customer starts at `web`. */
export function createServices(): Readonly<Record<PlaceName, Routes>> {
  return {
    web: {
      'GET /': (_, { call }) => call('catalog', 'GET', '/products'),
      'POST /buy': (body, { call }) => call('checkout', 'POST', '/checkout', body),
      'POST /return': (body, { call }) => call('refunds', 'POST', '/refund', body),
    },
    catalog: {
      'GET /products': async (_, { call }) => {
        const stock = await call('inventory', 'GET', '/stock');
        return { products: [{ sku: 'bell', priceCents: 4200, ...stock }] };
      },
    },
    checkout: {
      'POST /checkout': async (body, { call, log }) => {
        await call('inventory', 'POST', '/reserve', body);
        await call('payments', 'POST', '/charge', body);
        const order = await call('orders', 'POST', '/orders', body);
        log('order placed');
        return order;
      },
    },
    inventory: {
      'GET /stock': async () => ({ available: 12 }),
      'POST /reserve': async (_, { log }) => {
        log('stock reserved');
        return { reserved: true };
      },
    },
    payments: {
      'POST /charge': (body, { call }) => call('bank-gateway', 'POST', '/transfers', body),
    },
    refunds: {
      'POST /refund': (body, { call }) => call('bank-gateway', 'POST', '/transfers', body),
    },
    'bank-gateway': {
      'POST /transfers': async (body, { call, log }) => {
        await call('card-network', 'POST', '/authorizations', body);
        log('transfer accepted');
        return { accepted: true };
      },
    },
    orders: {
      'POST /orders': (body, { call }) => call('orders-db', 'POST', '/rows', body),
    },
    'orders-db': ordersDb(),
    'card-network': {
      'POST /authorizations': async () => ({ authorized: true }),
    },
  };
}

/** A real in-memory SQL database with the newest thousand orders. */
function ordersDb(): Routes {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, sku TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO orders (sku) VALUES (?) RETURNING id');
  const prune = database.prepare('DELETE FROM orders WHERE id <= (SELECT max(id) FROM orders) - 1000');
  return {
    'POST /rows': async (body) => {
      const row = insert.get(String(body.sku));
      prune.run();
      return { id: row?.id };
    },
  };
}
