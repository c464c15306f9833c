import { describe, expect, it } from 'vitest';
import type { LogItem } from '../../core/telemetry-item.ts';
import { advance, createEngineState, observe } from '../engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

describe('an error line', () => {
  it.each([
    ['counts once it is beyond chance, though its service is young', 2],
    ['counts once the service has a baseline without it', 8],
  ])('%s', (_, fromMinute) => {
    const state = createEngineState();
    const strengths: number[] = [];
    for (let at = START; at < START + (fromMinute + 1) * MINUTE; at += 1_000) {
      observe(state, line(at, 'info', 'request served'));
      if (at >= START + fromMinute * MINUTE) {
        observe(state, line(at, 'error', 'cannot reach the ledger'));
      }
      advance(state, at, ({ evidence }) => {
        strengths.push(...evidence.filter(({ family }) => family.endsWith('error_log')).map((one) => one.strength));
      });
    }

    expect(Math.max(...strengths)).toBeGreaterThan(0.5);
  });
});

function line(at: number, severity: LogItem['severity'], text: string): LogItem {
  return { kind: 'log', service: 'payments', at, severity, text, traceId: null, spanId: null };
}
