// The checks of .ci/helm.sh. Arguments: Helm's program, and the folder of the packages that know the objects of Kubernetes.
import { deepStrictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const CHART = 'deploy/helm/tocsin';
const [HELM, PACKAGES] = process.argv.slice(2);

const helm = (...args) => execFileSync(HELM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const documents = (text) =>
  parseAllDocuments(text)
    .map((each) => each.toJS())
    .filter((each) => each !== null);
const render = (...args) => documents(helm('template', 'tocsin', CHART, ...args));

/** What users of the chart set. */
const USES = {
  'the defaults': [],
  everything: [
    '--set=ingress.enabled=true,ingress.grpc.enabled=true,ingress.className=nginx,ingress.tlsSecret=tls',
    '--set=networkPolicy.enabled=true,networkPolicy.from[0].namespaceSelector.matchLabels.name=ingress',
    '--set=podMonitor.enabled=true,nodeSelector.disk=ssd,tolerations[0].key=a,tolerations[0].operator=Exists',
    `--set=imagePullSecrets[0].name=registry,podAnnotations.team=sre,image.digest=sha256:${'0'.repeat(64)}`,
  ],
  OpenShift: [
    '--set=podSecurityContext.runAsUser=null,podSecurityContext.runAsGroup=null,podSecurityContext.fsGroup=null',
  ],
};

/** Of a type that the API knows, such as `V1Service`. Absent: a custom resource. */
async function modelOf(name) {
  const path = join(PACKAGES, `@kubernetes/client-node/dist/gen/models/${name}.js`);
  return (await import(path).catch(() => ({})))[name];
}

/** @returns what the API would not know of a value, each with its path */
async function unknownIn(value, type, path) {
  const [, item] = /^(?:Array<|\{ \[key: string\]: )(.*?);?\s*[>}]$/.exec(type) ?? [];
  const model = item === undefined ? await modelOf(type) : undefined;
  if (item === undefined && model === undefined) {
    return [];
  }
  const known = new Map(model?.getAttributeTypeMap().map((each) => [each.baseName, each.type]));
  const found = await Promise.all(
    Object.entries(value).map(([key, each]) => {
      const of = item ?? known.get(key);
      return of === undefined ? [`${path}.${key} is unknown`] : unknownIn(each, of, `${path}.${key}`);
    }),
  );
  return found.flat();
}

/** @returns what is wrong with an object, as the API would say */
async function faultsOf(object) {
  const { apiVersion, kind, metadata } = object;
  const [version, group] = apiVersion.split('/').toReversed();
  const folder = group === 'monitoring.coreos.com' ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  const { [kind]: Model } = await import(join(PACKAGES, folder, group ?? '', version, `${kind}.js`));
  const faults = await unknownIn(
    object,
    `${version[0].toUpperCase()}${version.slice(1)}${kind}`,
    `${kind} ${metadata.name}`,
  );
  try {
    new Model(object).validate();
  } catch (error) {
    faults.push(`${kind} ${metadata.name}: ${error.message}`);
  }
  return faults;
}

helm('lint', '--strict', CHART);
const faults = [];
for (const [use, args] of Object.entries(USES)) {
  const objects = render(...args);
  const found = (await Promise.all(objects.map(faultsOf))).flat();
  faults.push(...found.map((each) => `${use}: ${each}`));
  process.stdout.write(`The chart with ${use}: ${objects.map(({ kind }) => kind).join(', ')}\n`);
}

if (faults.length > 0) {
  throw new Error(faults.join('\n'));
}

const byName = (objects) => Object.fromEntries(objects.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
deepStrictEqual(byName(documents(await readFile('deploy/kubernetes/tocsin.yaml', 'utf8'))), byName(render()));
