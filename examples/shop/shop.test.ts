import { describe, expect, it } from 'vitest';
import { faults } from './faults.ts';
import { type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts';
import { serviceNames } from './services.ts';
import { type Shop, startShop } from './shop.ts';

const API_KEY = 'tcn_rw_test';
const RATE = 20;

/** Other tests run beside it, so callers wait long enough for what merely waits for a processor. */
function openShop({ endpoint }: OtlpReceiver, log?: (line: string) => void, timeoutFactor: number = 10): Promise<Shop> {
  return startShop({ endpoint, apiKey: API_KEY, rate: RATE, timeoutFactor, ...(log && { log }) });
}

function servicesOf(items: readonly { service: string }[]): string[] {
  return [...new Set(items.map(({ service }) => service))].sort();
}

function failed({ spans }: OtlpReceiver) {
  return spans.filter(({ isError }) => isError);
}

describe('a healthy shop', () => {
  it('sends traces, metrics and logs of every service, without errors', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using _shop = await openShop(receiver);
      await receiver.until(
        () =>
          servicesOf(receiver.spans).length === serviceNames.length &&
          receiver.logs.some(({ body }) => body === 'order placed'),
      );
    }

    expect(failed(receiver)).toEqual([]);
    expect(new Set(receiver.logs.map(({ severity }) => severity))).toEqual(new Set(['INFO']));
    expect(new Set(receiver.metrics.map(({ name, unit }) => `${name} in ${unit}`))).toEqual(
      new Set(['http.server.request.duration in s']),
    );
    expect(servicesOf(receiver.metrics)).toEqual([...serviceNames].sort());
    expect([...receiver.senders]).toEqual([`Bearer ${API_KEY} application/x-protobuf gzip`]);
  });

  it('sends one trace per purchase, with a client span above a server span for each call', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using _shop = await openShop(receiver);
      await receiver.until(() => receiver.spans.some(({ service }) => service === 'orders-db'));
    }

    const row = receiver.spans.find(({ service }) => service === 'orders-db');
    const trace = receiver.spans.filter(({ traceId }) => traceId === row?.traceId);
    const parent = trace.find(({ spanId }) => spanId === row?.parentSpanId);
    expect(servicesOf(trace)).toEqual([
      'bank-gateway',
      'checkout',
      'inventory',
      'orders',
      'orders-db',
      'payments',
      'web',
    ]);
    expect(parent).toMatchObject({
      service: 'orders',
      kind: 'client',
      attributes: {
        'peer.service': 'orders-db',
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
      },
    });
    expect(row).toMatchObject({ kind: 'server', name: 'POST /rows', attributes: { 'http.route': '/rows' } });
    expect(receiver.logs.map(({ traceId }) => traceId)).toContain(row?.traceId);
  });
});

describe('a broken shop', () => {
  const reach: Readonly<Record<string, readonly string[]>> = {
    payments: ['checkout', 'payments', 'web'],
    'orders-db': ['checkout', 'orders', 'orders-db', 'web'],
    inventory: ['catalog', 'checkout', 'inventory', 'web'],
    'bank-gateway': ['bank-gateway', 'checkout', 'payments', 'refunds', 'web'],
  };

  const answered = faults.filter(({ name }) => name in reach);

  it.each(answered)('fails from $root up to the entry when $name breaks', async ({ name, root }) => {
    await using receiver = await startOtlpReceiver();
    /** Without traces in which other calls fail: on a busy machine the short timeouts for a slow database end these too. */
    const byFault = () =>
      [...Map.groupBy(failed(receiver), ({ traceId }) => traceId).values()]
        .filter((trace) => trace.some((span) => span.service === root && span.kind === 'server'))
        .filter((trace) => trace.every(({ service }) => reach[name]?.includes(service)))
        .flat();
    {
      await using shop = await openShop(receiver, undefined, name === 'orders-db' ? 1 : 3);
      shop.break(name);
      await receiver.until(() => servicesOf(byFault()).length === reach[name]?.length);
    }

    const traceIds = new Set(byFault().map(({ traceId }) => traceId));
    const errorLogs = receiver.logs.filter(
      ({ severity, traceId }) => severity === 'ERROR' && traceIds.has(traceId ?? ''),
    );
    expect(servicesOf(byFault())).toEqual(reach[name]);
    expect(servicesOf(errorLogs)).toEqual(reach[name]);
    expect(byFault().every(({ exceptions }) => exceptions.length === 1)).toBe(true);
  });

  it('has a timeout in the caller of a slow database', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using shop = await openShop(receiver, undefined, 1);
      shop.break('orders-db');
      await receiver.until(() => failed(receiver).some(({ service }) => service === 'orders'));
    }

    expect(failed(receiver)).toContainEqual(
      expect.objectContaining({
        service: 'orders',
        kind: 'client',
        attributes: expect.objectContaining({ 'peer.service': 'orders-db', 'error.type': 'timeout' }),
      }),
    );
    expect(failed(receiver)).toContainEqual(
      expect.objectContaining({
        service: 'checkout',
        kind: 'client',
        attributes: expect.objectContaining({ 'peer.service': 'orders', 'http.response.status_code': 504 }),
      }),
    );
  });

  it('hears nothing of a process that is gone, and its caller cannot reach it', async () => {
    await using receiver = await startOtlpReceiver();
    await using shop = await openShop(receiver);
    const rows = () => receiver.spans.filter(({ service }) => service === 'orders-db').length;
    const refused = () => failed(receiver).filter(({ service, kind }) => service === 'orders' && kind === 'client');
    await receiver.until(() => rows() > 0);

    shop.break('gone');
    await receiver.until(() => refused().length > 10);

    expect(
      new Set(refused().map(({ attributes }) => `${attributes['peer.service']} ${attributes['error.type']}`)),
    ).toEqual(new Set(['orders-db unreachable']));
    expect(failed(receiver).filter(({ service }) => service === 'orders-db')).toEqual([]);
    const before = rows();
    shop.fix();
    await receiver.until(() => rows() > before);
  });

  it('takes long on a slow network, while the services at both ends are as fast as ever', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using shop = await openShop(receiver);
      shop.break('slow-network');
      await receiver.until(() => receiver.spans.filter(({ service }) => service === 'catalog').length > 10);
    }

    const calls = receiver.spans.filter(({ attributes }) => attributes['peer.service'] === 'catalog');
    const served = receiver.spans.filter(({ service, kind }) => service === 'catalog' && kind === 'server');
    expect(Math.min(...calls.map(({ durationMs }) => durationMs))).toBeGreaterThanOrEqual(599);
    expect(Math.min(...served.map(({ durationMs }) => durationMs))).toBeLessThan(300);
    expect(failed(receiver)).toEqual([]);
  });

  it('fails at a vendor that sends nothing itself', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using shop = await openShop(receiver);
      shop.break('vendor');
      await receiver.until(() => servicesOf(failed(receiver)).includes('refunds'));
    }

    const calls = failed(receiver).filter(({ attributes }) => attributes['peer.service'] === 'card-network');
    expect(servicesOf(calls)).toEqual(['bank-gateway']);
    expect(new Set(calls.map(({ attributes }) => attributes['http.response.status_code']))).toEqual(new Set([503]));
    expect(servicesOf(receiver.spans)).not.toContain('card-network');
  });

  it('fails at one of two instances', async () => {
    await using receiver = await startOtlpReceiver();
    const served = (isBad: boolean) =>
      receiver.spans.filter(
        ({ service, kind, isError }) => service === 'catalog' && kind === 'server' && isError === isBad,
      );
    {
      await using shop = await openShop(receiver);
      shop.break('one-instance');
      await receiver.until(() => served(true).length > 3 && served(false).length > 3);
    }

    expect(new Set(served(true).map(({ instance }) => instance))).toEqual(new Set(['catalog-1']));
    expect(servicesOf(failed(receiver))).toEqual(['catalog', 'web']);
  });

  it('fails a little everywhere in steady noise', async () => {
    await using receiver = await startOtlpReceiver();
    {
      await using shop = await startShop({ endpoint: receiver.endpoint, apiKey: API_KEY, rate: 80 });
      shop.break('noise');
      await receiver.until(() => failed(receiver).length > 5);
    }

    expect(failed(receiver).length / receiver.spans.length).toBeLessThan(0.25);
  });

  it('breaks in several ways at once', async () => {
    await using receiver = await startOtlpReceiver();
    await using shop = await openShop(receiver);

    shop.break('gone', 'slow-network');

    await receiver.until(() => failed(receiver).some(({ attributes }) => attributes['error.type'] === 'unreachable'));
    expect(shop.broken.map(({ root }) => root)).toEqual(['orders-db', 'catalog']);
  });

  it('works again once it is fixed', async () => {
    await using receiver = await startOtlpReceiver();
    await using shop = await openShop(receiver);
    const charges = (isError: boolean) =>
      receiver.spans.filter((span) => span.name === 'POST /charge' && span.isError === isError).length;
    shop.break('payments');
    await receiver.until(() => charges(true) > 0);
    const before = charges(false);

    shop.fix();

    await receiver.until(() => charges(false) > before);
    expect(shop.broken).toEqual([]);
  });

  it('rejects unknown faults', async () => {
    await using receiver = await startOtlpReceiver();
    await using shop = await openShop(receiver);

    expect(() => shop.break('coffee')).toThrow(RangeError);
    expect(shop.broken).toEqual([]);
  });
});

describe('the shop and Tocsin', () => {
  it('stays open when Tocsin goes down, and reports it once', async () => {
    const lines: string[] = [];
    const said = Promise.withResolvers<void>();
    await using receiver = await startOtlpReceiver();
    {
      await using _shop = await openShop(receiver, (line) => {
        lines.push(line);
        if (line.startsWith('Tocsin no longer accepts telemetry')) {
          said.resolve();
        }
      });
      await receiver[Symbol.asyncDispose]();
      await said.promise;
    }

    expect(lines).toEqual([
      expect.stringMatching(/^The shop is open: web, /),
      expect.stringMatching(/^Tocsin no longer accepts telemetry at http.*; the shop stays open/),
      'The shop is closed.',
    ]);
  });

  it('reports when Tocsin accepts telemetry again', async () => {
    const lines: string[] = [];
    await using receiver = await startOtlpReceiver();
    await using _shop = await openShop(receiver, (line) => lines.push(line));

    receiver.answerWith(500);
    await receiver.until(() => lines.length === 2);
    receiver.answerWith(200);
    await receiver.until(() => lines.length === 3);

    expect(lines.at(-1)).toMatch(/^Tocsin accepts telemetry again/);
  });

  it.each([
    [401, 'refuses'],
    [503, 'is not ready yet'],
    [404, 'so it is not Tocsin'],
  ])('does not open on status %i', async (status, reason) => {
    await using receiver = await startOtlpReceiver();
    receiver.answerWith(status);

    const opening = openShop(receiver);

    await expect(opening).rejects.toThrow(reason);
    await expect(opening).rejects.not.toThrow(API_KEY);
  });
});
