import { describe, expect, it } from 'vitest';
import type { LogItem, SpanItem } from '../../core/telemetry-item.ts';
import { advance, createEngineState, observe } from '../engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
/** When the line changes. */
const CHANGE = START + 10 * MINUTE;

describe('a line that every run used to write and none writes any more', () => {
  it.each([
    { what: 'nothing instead', after: null, stopped: true },
    { what: 'a line that runs wrote before too', after: 'cache asked', stopped: true },
    { what: 'a new line in its place', after: 'order stored, took 12 ms', stopped: false },
  ])('has stopped when they write $what: $stopped', ({ after, stopped }) => {
    const state = createEngineState();
    const families = new Set<string>();
    for (let at = START; at < CHANGE + 3 * MINUTE; at += 1_000) {
      const text = at < CHANGE ? 'stored the order in 12 ms' : after;
      for (const item of [span(at), line(at, 'cache asked'), ...(text === null ? [] : [line(at, text)])]) {
        observe(state, item);
      }
      advance(state, at, ({ evidence }) => {
        for (const { family } of evidence) {
          families.add(family);
        }
      });
    }

    expect(families.has('log_stopped')).toBe(stopped);
  });
});

function span(at: number): SpanItem {
  const about = { kind: 'span', service: 'orders', operation: 'POST /orders', role: 'server', peer: null } as const;
  return { ...about, at, durationMs: 10, traceId: `t${at}`, spanId: 's', parentSpanId: null, isFailed: false };
}

function line(at: number, text: string): LogItem {
  return { kind: 'log', service: 'orders', at, severity: 'info', text, traceId: `t${at}`, spanId: 's' };
}
