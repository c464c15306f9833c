import { SeverityNumber } from '@opentelemetry/api';
import { startCustomers } from './customers.ts';
import { type Fault, faults } from './faults.ts';
import { callService } from './http-client.ts';
import { type Answer, type HttpServer, startHttpServer } from './http-server.ts';
import {
  createServices,
  INSTANCES,
  type PlaceName,
  serviceNames,
  type Tools,
  type VendorName,
  vendorNames,
} from './services.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';
import { checkTocsin, watchExports } from './tocsin.ts';

export interface ShopOptions {
  /** Tocsin's OTLP/HTTP endpoint, such as `http://127.0.0.1:3000`. */
  readonly endpoint: string;
  readonly apiKey: string;
  /** Journeys of customers per second; default 5. */
  readonly rate?: number;
  /** How many times longer callers wait than they usually do, for a busy machine; default 1. */
  readonly timeoutFactor?: number;
  /** Receives lines for the terminal. */
  readonly log?: (line: string) => void;
}

/** A running shop. Disposing stops new customers, finishes running journeys and sends the last telemetry. */
export interface Shop extends AsyncDisposable {
  readonly broken: readonly Fault[];
  /** Activates faults until `fix` or other faults. @throws RangeError when no fault has such a name */
  break(...names: readonly string[]): void;
  fix(): void;
}

const CALL_TIMEOUT_MS = 1000;

/** A caller has a longer timeout than its callee, so that a slow call fails where it is slow. */
const TIMEOUTS_MS: Partial<Record<PlaceName, number>> = { checkout: 2000, orders: 1600, 'orders-db': 1200 };

/** @throws ShopStartError when Tocsin does not accept the shop's telemetry */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { endpoint, apiKey, rate = 5, timeoutFactor = 1, log = () => {} } = options;
  await checkTocsin(endpoint, apiKey);

  const onExport = watchExports(endpoint, log);
  const services = createServices();
  const telemetries: Telemetry[] = [];
  const servers = new Map<PlaceName, HttpServer[]>();
  let broken: readonly Fault[] = [];

  const isGone = (name: PlaceName) => broken.some((fault) => fault.isGone && fault.root === name);

  async function open(name: PlaceName, instance: number): Promise<HttpServer> {
    const telemetry = isVendor(name)
      ? null
      : createTelemetry(name, `${name}-${instance}`, { endpoint, apiKey, onExport, isGone: () => isGone(name) });
    if (telemetry !== null) {
      telemetries.push(telemetry);
    }
    const tools = createTools(telemetry, addressOf, timeoutFactor);
    const answers: Record<string, Answer> = {};
    for (const [route, handler] of Object.entries(services[name])) {
      answers[route] = async (body, signal) => {
        for (const fault of broken.filter((each) => strikes(each, name, instance))) {
          await fault.strike?.(signal);
        }
        return handler(body, tools);
      };
    }
    return startHttpServer(answers, telemetry);
  }

  const calls = new Map<PlaceName, number>();
  /** Instances are called in turn. */
  function addressOf(name: PlaceName): Address {
    const number = calls.get(name) ?? 0;
    calls.set(name, number + 1);
    const instances = servers.get(name) ?? [];
    const networkMs = broken.reduce((sum, fault) => sum + (fault.root === name ? (fault.networkMs ?? 0) : 0), 0);
    return { baseUrl: instances[number % instances.length]?.baseUrl ?? '', networkMs };
  }

  function stopAndResume(): void {
    for (const [name, instances] of servers) {
      for (const server of instances) {
        if (isGone(name)) {
          server.stop();
        } else {
          server.resume();
        }
      }
    }
  }

  for (const name of [...serviceNames, ...vendorNames]) {
    const instances = Array.from({ length: INSTANCES[name] ?? 1 }, (_, instance) => open(name, instance));
    servers.set(name, await Promise.all(instances));
  }
  const customers = startCustomers(addressOf('web').baseUrl, rate);
  log(`The shop is open: ${serviceNames.join(', ')}; ${rate} customers per second, telemetry to ${endpoint}.`);

  return {
    get broken() {
      return broken;
    },
    break(...names) {
      broken = names.map(findFault);
      stopAndResume();
      for (const { title, root } of broken) {
        const expected = root === null ? 'open no incident' : `name ${root} as the root`;
        log(`Broken: ${title}. Tocsin should ${expected}.`);
      }
    },
    fix() {
      broken = [];
      stopAndResume();
      log('Fixed.');
    },
    async [Symbol.asyncDispose]() {
      await customers[Symbol.asyncDispose]();
      await Promise.all([...servers.values()].flat().map((server) => server[Symbol.asyncDispose]()));
      await Promise.all(telemetries.map((telemetry) => telemetry[Symbol.asyncDispose]()));
      log('The shop is closed.');
    },
  };
}

function findFault(name: string): Fault {
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) {
    throw new RangeError(`there is no fault ${name}`);
  }
  return fault;
}

/** Whether a fault strikes an instance of a place. */
function strikes({ root, instance: bad }: Fault, name: PlaceName, instance: number): boolean {
  return root === null ? !isVendor(name) : root === name && (bad === undefined || bad === instance);
}

function isVendor(name: PlaceName): name is VendorName {
  return vendorNames.some((vendor) => vendor === name);
}

interface Address {
  readonly baseUrl: string;
  /** How much longer a request to it is on its way, in milliseconds. */
  readonly networkMs: number;
}

/** @param telemetry null: it neither calls others nor logs */
function createTools(
  telemetry: Telemetry | null,
  addressOf: (name: PlaceName) => Address,
  timeoutFactor: number,
): Tools {
  return {
    async call(peer, method, path, body = {}) {
      if (telemetry === null) {
        throw new Error('a vendor calls nobody');
      }
      const timeoutMs = (TIMEOUTS_MS[peer] ?? CALL_TIMEOUT_MS) * timeoutFactor;
      return callService(telemetry.tracer, { peer, ...addressOf(peer), method, path, body, timeoutMs });
    },
    log(message) {
      telemetry?.logger.emit({ severityNumber: SeverityNumber.INFO, severityText: 'INFO', body: message });
    },
  };
}
