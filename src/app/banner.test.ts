import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import type { Service } from '../service/service.ts';
import { bannerOf, breakIt } from './banner.ts';

const DEFAULTS = { url: 'http://127.0.0.1:3000', localSlackUrl: 'http://127.0.0.1:3100/', dataDir: './data' };

it('names no setting that has its default', () => {
  expect(breakIt(DEFAULTS)).toBe(
    'npm run shop -- --break payments  (in a second terminal), or npm run shop -- --game-day',
  );
});

it('names the settings that the programs need to find this Tocsin', () => {
  const line = breakIt({
    url: 'http://127.0.0.1:4000',
    localSlackUrl: 'http://127.0.0.1:4100/',
    dataDir: '/var/tocsin',
  });

  expect(line).toBe(
    'PORT=4000 DATA_DIR=/var/tocsin npm run shop -- --break payments  (in a second terminal), ' +
      'or PORT=4000 DATA_DIR=/var/tocsin LOCAL_SLACK_PORT=4100 npm run shop -- --game-day',
  );
});

it('names the port even if it is the default of HTTP', () => {
  expect(breakIt({ ...DEFAULTS, url: 'http://127.0.0.1:80', localSlackUrl: null })).toMatch(/^PORT=80 npm run shop/);
});

it('gives the whole address of a host other than loopback, and no game day without local Slack', () => {
  expect(breakIt({ ...DEFAULTS, url: 'http://10.0.0.5:3000', localSlackUrl: null })).toBe(
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://10.0.0.5:3000 npm run shop -- --break payments  (in a second terminal)',
  );
});

it('quotes a folder that the shell would take apart', () => {
  expect(breakIt({ ...DEFAULTS, dataDir: "my team's data" })).toContain(
    String.raw`DATA_DIR='my team'\''s data' npm run shop`,
  );
});

it('leads people to PUBLIC_URL, where alone the dashboard answers', () => {
  const own = { url: 'http://127.0.0.1:3000', service: {} as Service, bot: null, localSlack: null };
  const app = { ...own, keys: null, firstKey: null, signInLink: null, announceStop: () => undefined };
  const config = readConfig({ PUBLIC_URL: 'https://tocsin.example.com', DATABASE_URL: 'postgres://db/x' }, ['service']);

  const banner = bannerOf({ ...app, [Symbol.asyncDispose]: () => Promise.resolve() }, config);

  expect(banner[1]).toMatch(/^Dashboard {2}https:\/\/tocsin\.example\.com\/dashboard /);
});
