import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The shop cannot start. The message is one sentence that says what to do. */
export class ShopStartError extends Error {
  override readonly name = 'ShopStartError';
}

const PROBE_TIMEOUT_MS = 5000;
const QUIET_MS = 2000;
const START_TOCSIN = 'start Tocsin first with `npm start` in another terminal, then run `npm run shop` again';

/** @throws ShopStartError */
export function readEndpoint(env: NodeJS.ProcessEnv): string {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT || `http://127.0.0.1:${env.PORT || 3000}`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new ShopStartError(
      'OTEL_EXPORTER_OTLP_ENDPOINT or PORT is invalid: set the address of Tocsin, such as http://127.0.0.1:3000.',
    );
  }
  return endpoint.replace(/\/+$/, '');
}

/**
 * Reads the shop's API key from the given file, from `TOCSIN_API_KEY`, or from the file that a Tocsin on this machine
 * has written.
 *
 * @throws ShopStartError
 */
export async function readApiKey(env: NodeJS.ProcessEnv, keyFile: string | undefined): Promise<string> {
  const given = env.TOCSIN_API_KEY?.trim();
  if (keyFile === undefined && given) {
    return given;
  }
  const path = keyFile ?? join(env.DATA_DIR || './data', 'keys', 'shop.key');
  const key = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ShopStartError(
      `There is no readable API key at ${path}: ${START_TOCSIN}, or set a key with --key-file or TOCSIN_API_KEY.`,
      { cause },
    );
  });
  return key.trim();
}

/** Sends an empty batch. @throws ShopStartError when Tocsin does not accept it */
export async function checkTocsin(endpoint: string, apiKey: string): Promise<void> {
  const status = await probe(endpoint, apiKey);
  if (status === 401 || status === 403) {
    throw new ShopStartError(
      `Tocsin at ${endpoint} refuses the shop's API key: set a valid one with --key-file or TOCSIN_API_KEY, or restart Tocsin, which writes a new one.`,
    );
  }
  if (status === 503) {
    throw new ShopStartError(`Tocsin at ${endpoint} is not ready yet: wait a moment, then run \`npm run shop\` again.`);
  }
  if (status !== 200) {
    throw new ShopStartError(
      `The server at ${endpoint} responded with ${status} to telemetry, so it is not Tocsin: set PORT or OTEL_EXPORTER_OTLP_ENDPOINT to the address of Tocsin.`,
    );
  }
}

async function probe(endpoint: string, apiKey: string): Promise<number> {
  try {
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (cause) {
    throw new ShopStartError(`Tocsin does not respond at ${endpoint}: ${START_TOCSIN}.`, { cause });
  }
}

/**
 * Watches the results of exports and logs once when Tocsin goes down and once when it is back. Exports overlap and fail
 * late, so Tocsin counts as down only if no export has succeeded for a while.
 */
export function watchExports(endpoint: string, log: (line: string) => void): (error: Error | null) => void {
  let isAway = false;
  let lastSuccessMs = performance.now();
  return (error) => {
    if (error === null) {
      lastSuccessMs = performance.now();
      if (isAway) {
        isAway = false;
        log(`Tocsin accepts telemetry again at ${endpoint}.`);
      }
      return;
    }
    if (!isAway && performance.now() - lastSuccessMs > QUIET_MS) {
      isAway = true;
      log(`Tocsin no longer accepts telemetry at ${endpoint} (${error.message}); the shop stays open and retries.`);
    }
  };
}
