import { expect, it } from 'vitest';
import type { AlertItem, SpanItem } from '../core/telemetry-item.ts';
import { countOutOfTime, DEFAULT_TIME_WINDOW, keepInTime, notAhead } from './time-window.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

function span(at: number): SpanItem {
  return {
    kind: 'span',
    service: 'shop',
    at,
    durationMs: 1,
    operation: 'GET /',
    traceId: 't',
    spanId: 's',
    parentSpanId: null,
    role: 'server',
    isFailed: false,
    peer: null,
  };
}

const alert: AlertItem = {
  kind: 'alert',
  service: 'shop',
  at: 0,
  instance: null,
  fingerprint: 'f',
  family: 'alert',
  peer: null,
  subject: 'disk full',
  strength: 1,
  traceId: null,
  hasEnded: false,
};

it('drops telemetry of 1970 and without a time, and keeps late telemetry', () => {
  const late = span(NOW.getTime() - 14 * MINUTE);

  const kept = keepInTime([span(1_000), span(Number.NaN), late, span(NOW.getTime())], NOW, DEFAULT_TIME_WINDOW);

  expect(kept).toEqual([late, span(NOW.getTime())]);
});

it('keeps an old alert and moves it to the start of the window', () => {
  expect(keepInTime([alert], NOW, DEFAULT_TIME_WINDOW)).toEqual([{ ...alert, at: NOW.getTime() - 15 * MINUTE }]);
});

it('counts items that are too old and items that are ahead', () => {
  const telemetry = [-16, -14, 0, 1, 3].map((minutes) => span(NOW.getTime() + minutes * MINUTE));

  expect(countOutOfTime({ signals: [], telemetry }, NOW, DEFAULT_TIME_WINDOW)).toEqual({ past: 1, ahead: 1 });
});

it('takes what is ahead as of now, and keeps the order and distance of the spans of a trace', () => {
  const now = NOW.getTime();
  const ahead = (traceId: string, ms: number) => ({ ...span(now + ms), traceId });
  const sent = [ahead('one', 2 * MINUTE), ahead('one', 2 * MINUTE - 30), ahead('two', 40), ahead('two', -10)];
  const others = [ahead('three', -5), { ...alert, at: now + MINUTE }, { ...alert, at: now - MINUTE }];

  const times = notAhead([...sent, ...others], NOW).map(({ at }) => at - now);

  expect(times).toEqual([0, -30, 0, -50, -5, 0, -MINUTE]);
});

it('changes nothing that is not ahead', () => {
  const sent = [span(NOW.getTime()), span(NOW.getTime() - MINUTE)];

  expect(notAhead(sent, NOW)).toBe(sent);
});
