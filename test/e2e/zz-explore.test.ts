import { it } from 'vitest';
import { startShop } from '../../examples/shop/shop.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { startTestService } from '../support/test-service.ts';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
it('x', { timeout: 400_000 }, async () => {
  await using tocsin = await startTestService({ logger: pino({ level: 'warn' }) });
  const server = serve({ fetch: tocsin.service.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((r) => setTimeout(r, 200));
  const { port } = server.address() as { port: number };
  const shop = await startShop({ endpoint: `http://127.0.0.1:${port}`, apiKey: tocsin.readWriteKey, rate: 5 });
  const t0 = Date.now();
  const show = async (ms: number) => {
    const until = Date.now() + ms;
    let last = '';
    while (Date.now() < until) {
      await new Promise((r) => setTimeout(r, 1000));
      const { incidents } = (await (await tocsin.call('GET', '/incidents')).json()) as any;
      const line = incidents.map((i: any) => `#${i.number} ${i.status} ${i.root_service} ${i.signal_count} ${i.activity} ${i.title} impact=${JSON.stringify(i.impact)} changes=${i.root_changes.length}`).join('\n   ');
      if (line !== last) console.log(Math.round((Date.now() - t0) / 1000), line);
      last = line;
    }
  };
  await show(Number(process.env.WARM ?? 5) * 1000);
  for (const fault of (process.env.FAULTS ?? '').split(',')) {
    console.log(Math.round((Date.now() - t0) / 1000), 'BREAK', fault);
    if (fault === 'fix') shop.fix(); else shop.break(fault);
    await show(Number(process.env.EACH ?? 40) * 1000);
  }
  for (const n of [1, 2, 3]) {
    const r = (await (await tocsin.call('GET', `/incidents/${n}?signals=none`)).json()) as any;
    console.log(JSON.stringify(r.correlation, null, 1));
  }
  await shop[Symbol.asyncDispose]();
  server.close();
});
