import { z } from 'zod';
import type { SignalBatch } from '../core/signal.ts';
import type { ChangeItem } from '../core/telemetry-item.ts';
import { clip, oneLine, TEXT_LIMITS } from '../core/text.ts';

/** Values as vendors send them. No alert is lost over a field that is missing or of another type than documented. */

/** Text, also if it was sent as a number. Empty: absent, or something else. */
export const Text = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  z.string().catch(''),
);

export const Texts = z.array(Text).catch([]);

/** Nothing to store: a test, or something that is no failure. */
export const NOTHING: SignalBatch = { signals: [] };

/** Below each a number counts so many milliseconds: seconds, milliseconds, microseconds, else nanoseconds. */
const UNITS = [
  [1e11, 1_000],
  [1e14, 1],
  [1e17, 1e-3],
] as const;

/** At most `now`, so that no alert starts after its end. @param value text, or a number since 1970; 0 is no time */
export function timeOf(value: string | number, now: Date): Date {
  const number = Number(value);
  const [, unit] = UNITS.find(([below]) => number < below) ?? [0, 1e-6];
  const ms = value === '' || Number.isNaN(number) ? Date.parse(String(value)) : number * unit;
  return Number.isNaN(ms) || ms <= 0 ? now : new Date(Math.min(ms, now.getTime()));
}

/** Characters of a version that are shown. */
const CHANGE_LIMIT = 100;

/** A deployment. @param subject the version */
export function deployment(service: string, subject: string, at: Date): SignalBatch {
  const change: ChangeItem = {
    kind: 'change',
    service: clip(service, TEXT_LIMITS.service),
    at: at.getTime(),
    subject: oneLine(subject, CHANGE_LIMIT),
  };
  return { signals: [], telemetry: [change] satisfies Exclude<SignalBatch['telemetry'], undefined> };
}

/** `key:value` texts, the first of each key. */
export function tagsOf(texts: readonly string[]): Record<string, string> {
  const pairs = texts.flatMap((text) => {
    const [, key = '', value = ''] = /^\s*([^:]+):(.+?)\s*$/.exec(text) ?? [];
    return key === '' ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs.toReversed());
}

/** The first seven characters of a commit's digest; other texts as they are. */
export function shortRevision(text: string): string {
  return /^[0-9a-f]{40}$/i.test(text) ? text.slice(0, 7) : text;
}
