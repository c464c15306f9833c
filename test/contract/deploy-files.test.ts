import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { Env } from '../../src/config/settings.ts';
import { SERVICE_PATHS, SLACK_PATH } from '../../src/contract/paths.ts';
import { GRPC_METHODS } from '../../src/service/ingest/formats/otlp/otlp-grpc.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

const Container = z.object({
  name: z.string(),
  command: z.array(z.string()),
  env: z.array(z.object({ name: z.string() })),
  readinessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
  livenessProbe: z.object({ httpGet: z.object({ path: z.string() }) }),
});
const Deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.tuple([Container]) }) }) }),
});

/** What `npm start` runs, built. */
async function startCommand(): Promise<readonly string[]> {
  const { scripts } = z
    .object({ scripts: z.object({ start: z.string() }) })
    .parse(JSON.parse(await read('package.json')));
  return scripts.start
    .replace(/^exec /, '')
    .replace('--import tsx src/main.ts', 'dist/main.js')
    .split(' ');
}

it('runs the image as npm start does', async () => {
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(await read('Dockerfile')) ?? [];

  expect(JSON.parse(command)).toEqual(await startCommand());
});

it('has no password of its own for Docker, and lets every image be pinned', async () => {
  const compose = await read('compose.yaml');
  const bases = (await read('Dockerfile')).match(/^FROM \S+/gm);

  expect(compose).toMatch(/^ +POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/m);
  expect(compose).toMatch(/^ +image: \$\{POSTGRES_IMAGE:-postgres:\d+\}$/m);
  expect(bases).toHaveLength(2);
  expect(new Set(bases)).toEqual(new Set([expect.stringMatching(/\{NODE_IMAGE\}$/)]));
});

/** Names of metrics in an expression. */
function metricsIn(text: string): readonly string[] {
  const names = [...text.matchAll(/\b(?:tocsin|http_server|db_client)_\w+/g)].map(([name]) => name);
  return names
    .filter((name) => !/^db_client_connection_(state|pool_name)$/.test(name))
    .map((name) => name.replace(/_bucket$/, ''));
}

it('runs service and bot in Kubernetes as npm start does, with settings that exist', async () => {
  const documents = parseAllDocuments(await read('deploy/kubernetes/tocsin.yaml')).map((each) => each.toJS());
  const start = await startCommand();

  const deployments = documents.filter(({ kind }) => kind === 'Deployment').map((each) => Deployment.parse(each));
  const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);

  expect(containers.map(({ name }) => name)).toEqual(['bot', 'service']);
  for (const { name, command, env, readinessProbe, livenessProbe } of containers) {
    expect(command).toEqual([...start, name]);
    expect(env.filter((each) => !Object.hasOwn(Env.shape, each.name))).toEqual([]);
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/readyz', '/healthz']);
  }
});

it('runs both under systemd as npm start does', async () => {
  const start = (await startCommand()).join(' ').replace(/^node/, '/opt/tocsin/node_modules/.bin/node');

  for (const part of ['service', 'bot']) {
    expect(await read(`deploy/systemd/tocsin-${part}.service`)).toContain(`ExecStart=${start} ${part}\n`);
  }
});

it('routes every path of the contract in the chart, and gRPC to its port', async () => {
  const helpers = await read('deploy/helm/tocsin/templates/_helpers.tpl');
  const ingress = await read('deploy/helm/tocsin/templates/ingress.yaml');
  const [, paths = ''] = /define "tocsin.servicePaths" -}}\n(.*)\n/.exec(helpers) ?? [];
  const [, kinds = ''] = /range list (.*) }}\n +- path: \/opentelemetry\.proto\.collector\./.exec(ingress) ?? [];

  const grpc = [...kinds.matchAll(/"(.*?)"/g)].map(
    ([, kind]) => `/opentelemetry.proto.collector.${kind}Service/Export`,
  );

  expect(paths.split(' ').toSorted()).toEqual(SERVICE_PATHS.toSorted());
  expect(ingress).toContain(`- path: ${SLACK_PATH}\n`);
  expect(grpc.toSorted()).toEqual(GRPC_METHODS.toSorted());
});

it('spreads the pods, and gives both parts a Service', async () => {
  const documents = parseAllDocuments(await read('deploy/kubernetes/tocsin.yaml')).map((each) => each.toJS());
  const services = documents.filter(({ kind }) => kind === 'Service');
  const deployments = documents.filter(({ kind }) => kind === 'Deployment');

  expect(services.map(({ metadata }) => metadata.name)).toEqual(['tocsin-bot', 'tocsin-service']);
  for (const [index, { spec }] of deployments.entries()) {
    expect(services[index].spec.selector).toEqual(spec.selector.matchLabels);
    expect(spec.template.spec.topologySpreadConstraints).toHaveLength(2);
  }
});

it('has only what it needs under Docker: nothing to write but its data, no capabilities, limits', async () => {
  const { services } = parse(await read('compose.yaml'));

  expect(services.tocsin).toMatchObject({ read_only: true, cap_drop: ['ALL'], mem_limit: '2g' });
  for (const each of [services.tocsin, services.postgres]) {
    expect(each.security_opt).toEqual(['no-new-privileges:true']);
    expect(each.pids_limit).toBeGreaterThan(0);
  }
});

it.runIf(existsSync('/usr/bin/systemd-analyze')).each(['service', 'bot'])(
  'exposes little under systemd: the %s',
  async (part) => {
    const unit = join(ROOT, `deploy/systemd/tocsin-${part}.service`);
    const analysis = promisify(execFile)('systemd-analyze', ['security', '--offline=true', '--threshold=30', unit]);

    await expect(analysis).resolves.toBeDefined(); // an exposure above 3.0 of 10 ends with an error
  },
);

it('names only settings that exist in the values of the chart', async () => {
  const values = parse(await read('deploy/helm/tocsin/values.yaml'));

  const named = [values.settings, values.service.settings, values.bot.settings].flatMap((each) => Object.keys(each));

  expect(named.filter((name) => !Object.hasOwn(Env.shape, name))).toEqual([]);
});

it('alerts and draws only metrics that Tocsin has', async () => {
  const sources: string[] = [];
  for await (const path of glob('src/**/*.ts', { cwd: ROOT })) {
    sources.push(await read(path));
  }
  const names = sources.flatMap((source) => [...source.matchAll(/name: '((?:tocsin|http_server|db_client)_\w+)'/g)]);
  const known = new Set(names.map(([, name]) => name));
  const rules = await read('deploy/prometheus/tocsin.rules.yml');
  const board = await read('deploy/grafana/tocsin.json');

  const used = [...metricsIn(rules), ...metricsIn(board)];

  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});
