import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createCounters } from './counters.ts';

describe('the counters', () => {
  it('give the lag of the last changes by nearest rank', async () => {
    const counters = createCounters(new Registry());
    const before = await counters.read();
    for (let lagMs = 1; lagMs <= 600; lagMs += 1) {
      counters.cardShown(lagMs);
    }
    const after = await counters.read();

    expect(before).toEqual({ lag: null, cardsShown: 0, limits: 0, repairs: 0 });
    expect(after.lag).toEqual({ p50Ms: 350, p95Ms: 575, changes: 500 });
    expect(after.cardsShown).toBe(600);
  });

  it('have the same values for people and for Prometheus', async () => {
    const registry = new Registry();
    const counters = createCounters(registry);

    counters.slackAnswered('chat.update', 'ok');
    counters.slackAnswered('chat.update', 'rate-limited');
    counters.slackAnswered('chat.postMessage', 'rate-limited');
    counters.repaired({ duplicates: 2, adopted: 1, missing: 0 });

    expect(await counters.read()).toMatchObject({ limits: 2, repairs: 3 });
    const scraped = await registry.metrics();
    expect(scraped).toContain('tocsin_bot_slack_calls_total{method="chat.update",outcome="rate-limited"} 1\n');
    expect(scraped).toContain('tocsin_bot_slack_calls_total{method="chat.delete",outcome="rate-limited"} 0\n');
    expect(scraped).toContain('tocsin_bot_message_repairs_total{kind="duplicate"} 2\n');
    expect(scraped).toContain('tocsin_bot_message_repairs_total{kind="deleted"} 0\n');
  });

  it('count slow acknowledgements', async () => {
    const registry = new Registry();
    const counters = createCounters(registry);

    counters.acknowledged(12);
    counters.acknowledged(1_500);

    const scraped = await registry.metrics();
    expect(scraped).toContain('tocsin_bot_slow_acks_total 1\n');
    expect(scraped).toContain('tocsin_bot_ack_duration_seconds_bucket{le="1"} 1\n');
    expect(scraped).toContain('tocsin_bot_ack_duration_seconds_count 2\n');
  });
});
