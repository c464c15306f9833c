import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { TelemetryItem } from '../../src/service/core/telemetry-item.ts';
import { advance, createEngineState, type EngineState, observe } from '../../src/service/engine/engine.ts';
import { toSnapshot } from '../../src/service/engine/engine-state.ts';
import type { CorrelationEvent } from '../../src/service/engine/grouping/correlation-state.ts';
import type { Incident } from '../../src/service/engine/grouping/incident.ts';

const MOMENT_EVERY_MS = 120_000;
const MOST_MOMENTS = 100;
const NEW = toSnapshot(createEngineState());
/**
 * What new engines were and had told after certain items, by a digest of these: most scenarios begin with the same healthy
 * minutes. The last used are the last. They are bytes, which the garbage collector need not walk through.
 */
const moments = new Map<string, Buffer>();

/**
 * Observes items, which are in order of time, and judges at the time of each what came before it. A new engine goes on from
 * a copy of what an earlier one was after the same items.
 */
export function feedEngine(
  state: EngineState,
  items: readonly TelemetryItem[],
  until = items.at(-1)?.at ?? 0,
): CorrelationEvent[] {
  const digests = toSnapshot(state) === NEW ? digestsOf(items) : new Map<number, string>();
  const [start = 0, digest = ''] = [...digests].findLast(([, each]) => moments.has(each)) ?? [];
  const events = start === 0 ? [] : goOn(state, digest);
  for (let index = start; index < items.length; index += 1) {
    const item = items[index] as TelemetryItem;
    const reached = index === start ? undefined : digests.get(index);
    if (reached !== undefined) {
      keep(reached, serialize({ state, events }));
    }
    events.push(...advance(state, item.at));
    observe(state, item);
  }
  return [...events, ...advance(state, until)];
}

/** Makes a new engine what an earlier one was. @returns what that one had told */
function goOn(state: EngineState, digest: string): CorrelationEvent[] {
  const kept = moments.get(digest) ?? Buffer.alloc(0);
  keep(digest, kept);
  const { state: past, events } = deserialize(kept) as { state: EngineState; events: CorrelationEvent[] };
  Object.assign(state, past);
  return events;
}

function keep(digest: string, kept: Buffer): void {
  moments.delete(digest);
  moments.set(digest, kept);
  for (const [oldest] of [...moments].slice(0, Math.max(0, moments.size - MOST_MOMENTS))) {
    moments.delete(oldest);
  }
}

/** By the index of each item that begins another moment: a digest of all items before it. */
function digestsOf(items: readonly TelemetryItem[]): Map<number, string> {
  const digests = new Map<number, string>();
  let [digest, from] = ['', 0];
  for (const [index, item] of items.entries()) {
    if (momentOf(item) > momentOf(items[index - 1] ?? item)) {
      digest = createHash('sha1')
        .update(digest)
        .update(serialize(items.slice(from, index)))
        .digest('hex');
      digests.set(index, digest);
      from = index;
    }
  }
  return digests;
}

const momentOf = ({ at }: TelemetryItem): number => Math.floor(at / MOMENT_EVERY_MS);

/** Every incident that events tell of, those that became part of another included. */
export function incidentsIn(events: readonly CorrelationEvent[]): Incident[] {
  return [...new Map(events.map(({ incident }) => [incident.number, incident])).values()];
}
