import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createFigures } from './counters.ts';

describe('the figures', () => {
  it('give the lag by nearest rank, of the last changes only', async () => {
    const figures = createFigures(new Registry());
    const before = await figures.read();
    for (let lagMs = 1; lagMs <= 600; lagMs += 1) {
      figures.cardShown(lagMs);
    }
    const after = await figures.read();

    expect(before).toEqual({ lag: null, cardsShown: 0, limits: 0, healed: 0 });
    expect(after.lag).toEqual({ p50Ms: 350, p95Ms: 575, changes: 500 });
    expect(after.cardsShown).toBe(600);
  });

  it('are the same for people and for Prometheus', async () => {
    const registry = new Registry();
    const figures = createFigures(registry);

    figures.slackAnswered('chat.update', 'ok');
    figures.slackAnswered('chat.update', 'rate-limited');
    figures.slackAnswered('chat.postMessage', 'rate-limited');
    figures.healed({ doubles: 2, adopted: 1, missing: 0 });

    expect(await figures.read()).toMatchObject({ limits: 2, healed: 3 });
    const scraped = await registry.metrics();
    expect(scraped).toContain('tocsin_bot_slack_calls_total{method="chat.update",outcome="rate-limited"} 1\n');
    expect(scraped).toContain('tocsin_bot_slack_calls_total{method="chat.delete",outcome="rate-limited"} 0\n');
    expect(scraped).toContain('tocsin_bot_cards_healed_total{kind="double"} 2\n');
    expect(scraped).toContain('tocsin_bot_cards_healed_total{kind="deleted"} 0\n');
  });

  it('tell slow acknowledgements from others', async () => {
    const registry = new Registry();
    const figures = createFigures(registry);

    figures.acknowledged(12);
    figures.acknowledged(1_500);

    const scraped = await registry.metrics();
    expect(scraped).toContain('tocsin_bot_slow_acks_total 1\n');
    expect(scraped).toContain('tocsin_bot_ack_duration_seconds_bucket{le="1"} 1\n');
    expect(scraped).toContain('tocsin_bot_ack_duration_seconds_count 2\n');
  });
});
