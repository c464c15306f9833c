import type { Context } from 'hono';
import type { HandedOverEvents } from '../../contract/integrations.ts';
import type { SignalBatch } from '../core/signal.ts';
import { type Unkept, unkept } from '../core/unkept.ts';
import type { ApiEnv } from './api-env.ts';

/** Notes what a request that succeeds does not bring about, for its answer and its integration. */
export function noteUnkept(c: Context<ApiEnv>, more: readonly Unkept[]): void {
  c.set('unkept', [...(c.get('unkept') ?? []), ...more]);
}

/** A successful answer: empty, or with `warnings`. */
export function answerDone(c: Context<ApiEnv>): Response {
  return c.json(warningsOf(c));
}

export function warningsOf(c: Context<ApiEnv>): HandedOverEvents {
  const warnings = c.get('unkept') ?? [];
  return warnings.length === 0 ? {} : { warnings: warnings.map(({ reason }) => reason) };
}

/** @param endedNothing number of ends of failures that nobody reported */
export function withoutEffect({ signals }: Pick<SignalBatch, 'signals'>, endedNothing: number): Unkept[] {
  const mild = signals.filter(({ severity, detail }) => severity === 'info' && detail.type === 'alert').length;
  const kept = `${mild} of severity info: kept as signals, but info opens no incident`;
  const ended = `${endedNothing} ended nothing: no failure with its key was reported, or it was reported under another key`;
  return [
    ...(mild === 0 ? [] : [unkept('opens-nothing', mild, kept)]),
    ...(endedNothing === 0 ? [] : [unkept('ended-nothing', endedNothing, ended)]),
  ];
}
