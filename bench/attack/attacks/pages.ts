import { type Attack, defineAttack } from '../attack.ts';
import { type Target, waitUntil } from '../target.ts';
import { spansOf } from './telemetry.ts';

const EVIL = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
/** The markup as an element. Pages have scripts of their own. */
const RUNS = /<script>alert|<img src=x/i;
const KEYS_PAGE = '/settings/api-keys';

/** Puts the text into every field that the dashboard shows, and reads all its pages. */
async function readPages(target: Target): Promise<string[]> {
  const service = `evil ${EVIL}`;
  await target.call('POST', '/v1/traces', {
    body: spansOf(service, 5, { name: EVIL, message: EVIL, attribute: EVIL }),
  });
  await target.call('POST', '/v1/generic', {
    body: { service, summary: EVIL, attributes: { [EVIL]: EVIL }, dedup_key: EVIL },
  });
  await target.visit(KEYS_PAGE, { form: { name: EVIL, scope: 'read-only' } });
  await target.call('POST', '/v1/integrations', { body: { type: 'otlp', name: EVIL } });
  let number = 0;
  await waitUntil(15_000, async () => {
    const answer = await target.call('GET', `/v1/incidents?service=${encodeURIComponent(service)}`);
    const { incidents = [] } = (await answer.json()) as { incidents?: { number: number }[] };
    number = incidents[0]?.number ?? 0;
    return number !== 0;
  });
  const open = await target.visit('/incidents');
  await target.call('POST', `/v1/incidents/${number}/acknowledge`, { body: { user: EVIL } });
  const resolution = { resolution_note: EVIL, user: EVIL };
  await target.call('POST', `/v1/incidents/${number}/resolve`, { body: resolution });
  const addresses = [
    '/incidents?status=closed',
    `/incidents/${number}`,
    KEYS_PAGE,
    `/incidents/${encodeURIComponent(EVIL)}`,
  ];
  const pages = await Promise.all(addresses.map((address) => target.visit(address)));
  return Promise.all([open, ...pages].map((page) => page.text()));
}

export const pageAttacks: readonly Attack[] = [
  defineAttack({
    name: 'markup in every field that the dashboard shows',
    isQuick: true,
    run: readPages,
    describe: (pages) =>
      `${pages.length} pages, ${pages.filter((page) => page.includes('&lt;script')).length} show it, ${pages.filter((page) => RUNS.test(page)).length} run it`,
    isHeld: (pages) =>
      pages.every((page) => !RUNS.test(page)) && pages.filter((page) => page.includes('&lt;script')).length >= 4,
  }),
  defineAttack({
    name: 'forms of the dashboard sent by another site, or without saying from where',
    isQuick: true,
    async run(target) {
      const form = { name: 'stolen', scope: 'read-write' };
      const origins = [{ origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }, { origin: 'null' }, {}];
      const answers = origins.flatMap((headers) => [
        target.visit(KEYS_PAGE, { form, headers }),
        target.visit(`${KEYS_PAGE}/key_1/revoke`, { form: {}, headers }),
      ]);
      return (await Promise.all(answers)).map(({ status }) => status);
    },
    describe: (statuses) => statuses.join(', '),
    isHeld: (statuses) => statuses.every((status) => status === 403),
  }),
  defineAttack({
    name: 'pages, answers and errors in a frame of another site, or read as another type',
    isQuick: true,
    async run(target) {
      const answers = await Promise.all([
        target.visit('/incidents'),
        target.visit('/nowhere'),
        target.call('GET', '/dashboardx'),
        target.call('GET', '/v1/incidents'),
        target.call('GET', '/v1/nowhere'),
        target.call('GET', '/healthz', { key: null }),
      ]);
      return answers.filter(({ headers }) => {
        const policy = headers.get('content-security-policy') ?? '';
        return !policy.includes("frame-ancestors 'none'") || headers.get('x-content-type-options') !== 'nosniff';
      }).length;
    },
    describe: (count) => `${count} of 6 allow it`,
    isHeld: (count) => count === 0,
  }),
  defineAttack({
    name: 'NUL characters in addresses, queries and forms',
    isQuick: true,
    async run(target) {
      const answers = await Promise.all([
        target.call('DELETE', '/v1/integrations/%00'),
        target.call('GET', '/v1/incidents/%00'),
        target.call('GET', '/v1/signals?service=%00'),
        target.call('GET', '/v1/signals?from=-005000-01-01T00:00:00Z'),
        target.visit(`${KEYS_PAGE}/%00/revoke`, { form: {} }),
        target.visit(KEYS_PAGE, { form: { name: '\0', scope: 'read-only' } }),
      ]);
      return answers.map(({ status }) => status);
    },
    describe: (statuses) => statuses.join(', '),
    isHeld: (statuses) => statuses.every((status) => status >= 400 && status < 500),
  }),
];
