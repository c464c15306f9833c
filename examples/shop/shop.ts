import { SeverityNumber } from '@opentelemetry/api';
import { startCustomers } from './customers.ts';
import { type Fault, faults } from './faults.ts';
import { callService } from './http-client.ts';
import { type Answer, type HttpServer, startHttpServer } from './http-server.ts';
import { createServices, type ServiceName, serviceNames, type Tools } from './services.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';
import { checkTocsin, watchExports } from './tocsin.ts';

export interface ShopOptions {
  /** Tocsin's OTLP/HTTP endpoint, such as `http://127.0.0.1:3000`. */
  readonly endpoint: string;
  readonly apiKey: string;
  /** Journeys of customers per second; default 5. */
  readonly rate?: number;
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
const TIMEOUTS_MS: Partial<Record<ServiceName, number>> = { checkout: 2000, orders: 1600, 'orders-db': 1200 };

/** @throws ShopStartError when Tocsin does not accept the shop's telemetry */
export async function startShop({ endpoint, apiKey, rate = 5, log = () => {} }: ShopOptions): Promise<Shop> {
  await checkTocsin(endpoint, apiKey);

  const onExport = watchExports(endpoint, log);
  const services = createServices();
  const telemetries: Telemetry[] = [];
  const servers = new Map<ServiceName, HttpServer>();
  let broken: readonly Fault[] = [];

  async function open(name: ServiceName): Promise<void> {
    const telemetry = createTelemetry(name, { endpoint, apiKey, onExport });
    telemetries.push(telemetry);
    const tools = createTools(telemetry, servers);
    const answers: Record<string, Answer> = {};
    for (const [route, handler] of Object.entries(services[name])) {
      answers[route] = async (body, signal) => {
        for (const fault of broken.filter(({ root }) => root === name)) {
          await fault.strike(signal);
        }
        return handler(body, tools);
      };
    }
    servers.set(name, await startHttpServer(answers, telemetry));
  }

  await Promise.all(serviceNames.map(open));
  const customers = startCustomers(servers.get('web')?.baseUrl ?? '', rate);
  log(`The shop is open: ${serviceNames.join(', ')}; ${rate} customers per second, telemetry to ${endpoint}.`);

  return {
    get broken() {
      return broken;
    },
    break(...names) {
      broken = names.map(findFault);
      for (const { title, root } of broken) {
        log(`Broken: ${title}. Tocsin should name ${root} as the root.`);
      }
    },
    fix() {
      broken = [];
      log('Fixed.');
    },
    async [Symbol.asyncDispose]() {
      await customers[Symbol.asyncDispose]();
      await Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]()));
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

function createTools({ tracer, logger }: Telemetry, servers: ReadonlyMap<ServiceName, HttpServer>): Tools {
  return {
    call(peer, method, path, body = {}) {
      const baseUrl = servers.get(peer)?.baseUrl ?? '';
      return callService(tracer, {
        peer,
        baseUrl,
        method,
        path,
        body,
        timeoutMs: TIMEOUTS_MS[peer] ?? CALL_TIMEOUT_MS,
      });
    },
    log(message) {
      logger.emit({ severityNumber: SeverityNumber.INFO, severityText: 'INFO', body: message });
    },
  };
}
