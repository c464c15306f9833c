import type { ServerResponse } from 'node:http';
import type { Agent } from 'undici';
import { expect } from 'vitest';
import type { ServiceClientError } from '../../src/client/errors.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import type { TransportOptions } from '../../src/client/transport.ts';
import type { Loopback } from '../support/loopback.ts';

export const API_KEY = 'tcn_rw_the-key-that-nobody-may-see';
/** A signal as JSON. */
export const SIGNAL = '{"id": 5, "type": "trace", "service": "payments"}';

/** A client of `/v1`. It records its delays instead of waiting. */
export function clientOf(server: Pick<Loopback, 'url'>, options: Partial<TransportOptions> = {}) {
  const pausesMs: number[] = [];
  const client = createServiceClient({
    baseUrl: `${server.url}/v1`,
    apiKey: API_KEY,
    sleep: async (delayMs) => {
      pausesMs.push(delayMs);
    },
    random: () => 0.5,
    ...options,
  });
  return { client, pausesMs, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

export const reply =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body);

export const drop = (response: ServerResponse) => response.destroy();

/** Responds with each handler in turn, then always with the last one. */
export function inTurn(...answers: ((response: ServerResponse) => unknown)[]): (response: ServerResponse) => unknown {
  return (response) => (answers.length > 1 ? answers.shift() : answers[0])?.(response);
}

/** The error of a call that must fail. */
export async function failure(call: Promise<unknown>): Promise<ServiceClientError> {
  return call.then(
    () => expect.unreachable('the call did not fail'),
    (error: unknown) => error as ServiceClientError,
  );
}

export function disposable(agent: Agent) {
  return { agent, [Symbol.asyncDispose]: () => agent.destroy() };
}
