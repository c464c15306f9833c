import { expect, it } from 'vitest';
import { shopCommand } from './example-commands.ts';

const DEFAULTS = { url: 'http://127.0.0.1:3000', dataDir: './data' };

it.each([
  ['leaves out the defaults', DEFAULTS, 'npm run shop -- --break payments'],
  [
    'names another port and another data folder',
    { url: 'http://127.0.0.1:4000', dataDir: '/var/tocsin' },
    'PORT=4000 DATA_DIR=/var/tocsin npm run shop -- --break payments',
  ],
  [
    'names the address of another host',
    { ...DEFAULTS, url: 'http://10.0.0.5:3000/' },
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://10.0.0.5:3000 npm run shop -- --break payments',
  ],
  [
    'quotes a folder for the shell',
    { ...DEFAULTS, dataDir: "my team's data" },
    String.raw`DATA_DIR='my team'\''s data' npm run shop -- --break payments`,
  ],
])('%s', (_case, running, command) => {
  expect(shopCommand(running)).toBe(command);
});
