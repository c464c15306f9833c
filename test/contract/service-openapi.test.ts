import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../src/contract/routes.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  responses: z.record(z.string(), z.unknown()),
});
const OpenApi = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

const run = promisify(execFile);

let tocsin: TestService;
let text: string;
let description: z.infer<typeof OpenApi>;

beforeAll(async () => {
  tocsin = await startTestService();
  const response = await tocsin.call('GET', '/openapi.json', { key: null });
  text = await response.text();
  description = OpenApi.parse(JSON.parse(text));
});

afterAll(() => tocsin[Symbol.asyncDispose]());

it("has no errors or warnings by Redocly's recommended rules", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'openapi-'));
  try {
    await writeFile(join(directory, 'openapi.json'), text);
    await writeFile(join(directory, 'redocly.yaml'), 'extends: [recommended-strict]\n');
    const redocly = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
    const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(process.execPath, [redocly, 'lint', 'openapi.json', '--format=json'], {
      cwd: directory,
      env,
    });

    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } });
  } finally {
    await rm(directory, { recursive: true });
  }
});

it.each(Object.entries(routes))('describes %s with its success, its errors and its query', (name, route) => {
  const operation = description.paths[route.path]?.[route.method.toLowerCase()];
  const known = 'shape' in route.query ? Object.keys(route.query.shape) : [];

  expect(operation?.operationId).toBe(name);
  expect(Object.keys(operation?.responses ?? {})).toEqual(
    expect.arrayContaining([String(route.status), '400', '401', '403', '500', '503']),
  );
  expect(operation?.parameters.filter((parameter) => parameter.in === 'query').map((each) => each.name)).toEqual(known);
});

it("describes the endpoints that are not in the contract's routes", () => {
  expect(Object.keys(description.paths)).toEqual(
    expect.arrayContaining([
      '/traces',
      '/metrics',
      '/logs',
      '/alertmanager',
      '/cloudevents',
      '/generic',
      '/v2/enqueue',
      '/openapi.json',
    ]),
  );
});

it('allows new fields in responses', () => {
  expect(JSON.stringify(description.components.schemas)).not.toContain('"additionalProperties":false');
});

it.each([
  ['GET', '/incidents/{id}', ['304', '404']],
  ['POST', '/incidents/{id}/acknowledge', ['404', '409', '412', '413', '415', '422']],
  ['POST', '/incidents/{id}/resolve', ['404', '409', '412', '413', '415', '422']],
  ['POST', '/integrations', ['200', '409', '413', '415', '422']],
  ['DELETE', '/integrations/{id}', ['404']],
])('says what else %s %s may answer: %j', (method, path, statuses) => {
  const { responses = {} } = description.paths[path]?.[method.toLowerCase()] ?? {};

  expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses));
});

it('can only be read', async () => {
  const response = await tocsin.call('POST', '/openapi.json', { key: null });

  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, HEAD');
});
