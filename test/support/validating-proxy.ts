import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { z } from 'zod';

/** A proxy that validates requests and responses against the OpenAPI description of a service. */
export interface ValidatingProxy extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** The ids of the requested operations. */
  readonly operations: ReadonlySet<string>;
  /** One sentence per violation. */
  readonly violations: readonly string[];
}

/** The log records of Prism for requests and violations. */
const Received = z.object({ input: z.object({ method: z.string(), url: z.object({ path: z.string() }) }) });
const Fault = z.object({ name: z.literal('VALIDATOR'), msg: z.string() });
const Description = z.looseObject({ paths: z.record(z.string(), z.unknown()) });
const Failure = z.object({ level: z.literal(50), msg: z.string() });

/** @param serviceUrl without `/v1` */
export async function startValidatingProxy(serviceUrl: string): Promise<ValidatingProxy> {
  const { url, ...proxy } = await startProxyOver(await readDescription(serviceUrl), serviceUrl);
  return { ...proxy, baseUrl: `${url}/v1` };
}

/** @param description in OpenAPI 3, of the service at `serviceUrl` */
export async function startProxyOver(
  description: object,
  serviceUrl: string,
): Promise<Omit<ValidatingProxy, 'baseUrl'> & { readonly url: string }> {
  const operations = await getHttpOperationsFromSpec(description);
  const asked = new Set<string>();
  const violations: string[] = [];
  let latest = '';
  const logger = createLogger(
    'proxy',
    { level: 'info' },
    {
      write(line: string) {
        const entry: unknown = JSON.parse(line);
        const received = Received.safeParse(entry);
        const fault = z.union([Fault, Failure]).safeParse(entry);
        if (fault.success) {
          violations.push(`${fault.data.msg} (${latest})`);
        } else if (received.success) {
          const { method, url } = received.data.input;
          latest = `${method.toUpperCase()} ${url.path}`;
          asked.add(operations.find((each) => each.method === method && isAt(each.path, url.path))?.iid ?? latest);
        }
      },
    },
  );
  const server = createServer(operations, {
    components: { logger },
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(serviceUrl),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
  });
  const address = await server.listen(0, '127.0.0.1');
  return {
    url: address,
    operations: asked,
    violations,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Prism ignores the path of the server URL, so `/v1` is added to each path. */
async function readDescription(serviceUrl: string): Promise<object> {
  const response = await fetch(`${serviceUrl}/v1/openapi.json`);
  const description = Description.parse(await response.json());
  const paths = Object.entries(description.paths).map(([path, item]) => [`/v1${path}`, item]);
  return { ...description, paths: Object.fromEntries(paths) };
}

function isAt(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
