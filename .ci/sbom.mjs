// Prints the packages that a built Tocsin contains, as CycloneDX 1.5: those that `npm prune --omit=dev` leaves, by the flags of
// the lockfile. (`npm sbom --omit=dev` also leaves out what only a workspace needs for development.)
import { readFileSync } from 'node:fs';

const { name, version, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

const purlOf = (each, at) => `pkg:npm/${each.replace('@', '%40')}@${at}`;
const component = ([path, { version: at, license, integrity, resolved }]) => {
  const own = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return {
    type: 'library',
    'bom-ref': path,
    name: own,
    version: at,
    purl: purlOf(own, at),
    ...(license && { licenses: [{ expression: license }] }),
    ...(integrity && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    }),
    ...(resolved && { externalReferences: [{ type: 'distribution', url: resolved }] }),
  };
};

const isShipped = ([path, { link, dev, devOptional }]) =>
  path.includes('node_modules/') && link !== true && dev !== true && devOptional !== true;
const workspaces = Object.entries(packages)
  .filter(([path]) => /^packages\/[^/]+$/.test(path))
  .map(([path, { version: at }]) => [`node_modules/${path.slice('packages/'.length)}`, { version: at }]);

const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    component: { type: 'application', 'bom-ref': name, name, version, purl: purlOf(name, version) },
  },
  components: [...workspaces, ...Object.entries(packages).filter(isShipped)].map(component),
};
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
