import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';
import { headlineOf } from './sentences/reasons.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 15 * MINUTE;
const END = FAULT + 5 * MINUTE;
const TIMEOUT_MS = 1_000;

describe('callers that give up while their callees go on', () => {
  it('are no root, if all that they call waits for a service that takes ten times as long as they wait', () => {
    expect(rootsOf({ stockMs: 10_000, isLost: false })).toEqual(['stock']);
  });

  it('are told as callers of what is slow', () => {
    const [incident] = incidentsOf({ stockMs: 10_000, isLost: false });

    const told = [...(incident?.members.values() ?? [])].flatMap(({ evidence }) =>
      evidence.family === 'harmed_requests' && evidence.service === 'stock' ? [headlineOf(evidence)] : [],
    );
    expect(new Set(told)).toEqual(new Set(['GET / fails', 'calls from cart fail']));
  });

  it('are the root, if none of their calls arrives', () => {
    expect(rootsOf({ stockMs: 10, isLost: true })).toEqual(['web']);
  });
});

interface World {
  /** Time that `stock` takes during the fault. */
  readonly stockMs: number;
  /** Whether no call of `web` arrives during the fault. */
  readonly isLost: boolean;
}

/** `web` calls `stock`, or `cart`, which calls `stock`. It waits for a second, and they go on. Spans come when they end. */
function spansOf({ stockMs, isLost }: World): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 350 + (index % 5) * 20, index += 1) {
    const isDuring = at >= FAULT;
    const workMs = (isDuring ? stockMs : 10) * (0.8 + (index % 7) / 15);
    const isFailed = isDuring && (isLost || workMs > TIMEOUT_MS);
    const waitedMs = isFailed ? TIMEOUT_MS : workMs + 8;
    const add = traceBuilder(spans, at, spans.length);
    const viaCart = index % 2 === 0;
    const peer = viaCart ? 'cart' : 'stock';
    const operation = viaCart ? 'GET /cart' : 'GET /stock';
    const page = add(null, { service: 'web', operation, durationMs: waitedMs + 2, isFailed });
    const call = { role: 'client', operation: 'GET' } as const;
    const sent = add(page, { ...call, service: 'web', peer, durationMs: waitedMs, isFailed });
    if (isDuring && isLost) {
      continue;
    }
    const cart = { service: 'cart', operation: 'GET /', durationMs: workMs + 4 } as const;
    const toStock = viaCart
      ? add(add(sent, cart), { ...call, service: 'cart', peer: 'stock', durationMs: workMs + 2 })
      : sent;
    add(toStock, { service: 'stock', operation: 'GET /', durationMs: workMs });
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function rootsOf(world: World): string[] {
  return incidentsOf(world).map(({ root }) => root);
}

function incidentsOf(world: World): Incident[] {
  return incidentsIn(feedEngine(createEngineState(), spansOf(world)));
}
