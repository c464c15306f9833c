import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { HANG_MS } from './hang.ts';
import { SETTLE_MS, type TestService } from './test-service.ts';

const ANA = { user: 'Ana', user_id: 'email:ana@example.com' };
const COUNTED_WITHIN_MS = 8_000;
const MINUTE_MS = 60_000;
const REQUESTS_A_MINUTE = 30;
const CALLS = ['web', 'checkout', 'payments'] as const;
const HEALTHY_MINUTES = 6;
const FAILING_MINUTES = 9;
/** How far the scene moves the clock of the service at most. */
export const SCENE_MS = (HEALTHY_MINUTES + FAILING_MINUTES + 1) * MINUTE_MS + SETTLE_MS;

/**
 * A shop whose payments fail after a deployment, seen for some minutes and acknowledged by somebody, and an earlier
 * incident that was resolved.
 *
 * @returns the number of the incident
 */
export async function startSimulatedFailure(tocsin: TestService): Promise<number> {
  const number = await failPayments(tocsin);
  await tocsin.failIn(['mail'], { name: 'POST /send' });
  await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${number}/acknowledge`, { body: ANA });
  const note = { ...ANA, text: 'The release of 1.4.2 changed the currencies. Rolling back.' };
  await tocsin.call('POST', `/incidents/${number}/notes`, { body: note });
  return number;
}

/**
 * The same failure before anybody has acknowledged it. It lasts until the clock of the service, which moves
 * {@link SCENE_MS} ahead meanwhile, or up to a minute less.
 *
 * @returns the number of the incident
 */
export async function failPayments(tocsin: TestService): Promise<number> {
  await tocsin.failIn(['search'], { name: 'GET /search' });
  const earlier = await tocsin.openIncident();
  const resolution = { resolution_note: 'restarted the index', user: 'Ben', user_id: 'email:ben@example.com' };
  await tocsin.call('POST', `/incidents/${earlier.number}/resolve`, { body: resolution });
  tocsin.advance(MINUTE_MS - (tocsin.now().getTime() % MINUTE_MS)); // so that no count is near the end of a minute
  let seen = { number: 0, failures: 0 };
  for (let minute = 0; minute < HEALTHY_MINUTES + FAILING_MINUTES; minute += 1) {
    if (minute === HEALTHY_MINUTES) {
      const deployed = {
        type: 'deploy',
        service: 'payments',
        summary: '1.4.2',
        observed_at: tocsin.now().toISOString(),
      };
      await tocsin.call('POST', '/generic', { body: deployed });
    }
    const share = minute < HEALTHY_MINUTES ? 0 : Math.min(1, (minute - HEALTHY_MINUTES + 1) / 4);
    await sendMinute(
      tocsin,
      (index) => index / REQUESTS_A_MINUTE < share,
      minute < HEALTHY_MINUTES ? '1.4.1' : '1.4.2',
    );
    if (share > 0) {
      seen = await nextCount(tocsin, seen.failures);
    }
  }
  expect(seen.number).toBeGreaterThan(0);
  return seen.number;
}

/**
 * Waits until the service has counted the failures of a minute, so that each is in a minute of its own. A minute may add
 * nothing: the first when it opens no incident yet, and the one in which the service begins to count requests instead of
 * signals.
 */
async function nextCount(tocsin: TestService, before: number): Promise<{ number: number; failures: number }> {
  const endMs = performance.now() + COUNTED_WITHIN_MS;
  return await vi.waitUntil(
    async () => {
      const response = await tocsin.call('GET', '/incidents?service=payments');
      const [incident] = IncidentList.parse(await response.json()).incidents;
      const failures = incident?.failures_per_minute?.counts.reduce((sum, each) => sum + each, 0) ?? 0;
      const isOver = performance.now() > endMs;
      return (failures !== before || isOver) && { number: incident?.number ?? 0, failures };
    },
    { timeout: HANG_MS },
  );
}

/** The same shop, in which one of three pods of payments fails all its requests. */
export async function failOnePod(tocsin: TestService): Promise<{ readonly pod: string; readonly lost: number }> {
  const failingMinutes = 5;
  for (let minute = 0; minute < HEALTHY_MINUTES + failingMinutes; minute += 1) {
    await sendMinute(tocsin, (index) => minute >= HEALTHY_MINUTES && index % PODS.length === 1, '1.4.1');
  }
  return { pod: PODS[1], lost: (failingMinutes * REQUESTS_A_MINUTE) / PODS.length };
}

/** Of payments; each gets every third request. */
const PODS = ['payments-6f9c-2xk4p', 'payments-6f9c-8mwzt', 'payments-6f9c-q7hld'] as const;

/** Sends the requests of one minute, of which some fail in payments. */
async function sendMinute(tocsin: TestService, fails: (index: number) => boolean, version: string): Promise<void> {
  const start = tocsin.now().getTime(); // before the time is over, because what comes late counts less
  const spans = Array.from({ length: REQUESTS_A_MINUTE }, (_, index) =>
    requestSpans(start + (index * MINUTE_MS) / REQUESTS_A_MINUTE, fails(index)).map((span) => ({
      ...span,
      pod: span.service === 'payments' ? PODS[index % PODS.length] : undefined,
    })),
  ).flat();
  const resourceSpans = [...Map.groupBy(spans, ({ service, pod }) => `${service} ${pod}`).values()].map((some) => ({
    resource: { attributes: resourceOf(some[0]?.service ?? '', some[0]?.pod, version) },
    scopeSpans: [{ spans: some.map(({ span }) => span) }],
  }));
  const before = await correlatedItems(tocsin);
  const response = await tocsin.call('POST', '/traces', { body: { resourceSpans } });
  expect(response.status).toBe(200);
  await vi.waitUntil(async () => (await correlatedItems(tocsin)) >= before + spans.length, { timeout: HANG_MS });
  tocsin.advance(MINUTE_MS);
}

function resourceOf(service: string, pod: string | undefined, version: string) {
  const attributes = {
    'service.name': service,
    'service.version': service === 'payments' ? version : '2.0.0',
    ...(pod === undefined ? {} : { 'k8s.pod.name': pod }),
  };
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** What correlation has read. What it reads after the clock has moved counts as late. */
async function correlatedItems({ registry }: TestService): Promise<number> {
  const counter = await registry.getSingleMetric('tocsin_correlation_items_total')?.get();
  return counter?.values[0]?.value ?? 0;
}

/** The same ids in every run, because pictures show some. */
let idCount = 0;
function nextId(bytes: number): string {
  idCount += 1;
  return createHash('sha256')
    .update(String(idCount))
    .digest('hex')
    .slice(0, 2 * bytes);
}

/** web calls checkout, which calls payments. */
function requestSpans(at: number, fails: boolean) {
  const traceId = nextId(16);
  const status = fails ? { code: 2, message: 'no merchant account for currency EUR' } : { code: 1 };
  let parent = '';
  return CALLS.flatMap((service, depth) => {
    const create = (name: string, kind: number, ms: number) => {
      const spanId = nextId(8);
      const span = {
        traceId,
        spanId,
        ...(parent === '' ? {} : { parentSpanId: parent }),
        name,
        kind,
        startTimeUnixNano: `${Math.round(at) + depth}000000`,
        endTimeUnixNano: `${Math.round(at) + ms}000000`,
        status,
      };
      parent = spanId;
      return { service, span };
    };
    const served = create(`POST /${service}`, 2, 60 - depth * 10);
    const next = CALLS[depth + 1];
    return next === undefined ? [served] : [served, create(`POST to ${next}`, 3, 55 - depth * 10)];
  });
}
