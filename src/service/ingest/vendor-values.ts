import { z } from 'zod';
import { parseISO } from '../../runtime/dates.ts';
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

/** What is older is no time: an id, a count, an uptime, the zero of a language, a date without hyphens read as a number. */
const FIRST_TIME = Date.parse('2000-01-01T00:00:00Z');

/** At most `now`, so that no alert starts after its end. @param value text, or a number since 1970 */
export function timeOf(value: string | number, now: Date): Date {
  const ms = value === '' || Number.isNaN(Number(value)) ? parseTime(String(value)) : sinceEpoch(Number(value));
  return ms >= FIRST_TIME ? new Date(Math.min(ms, now.getTime())) : now;
}

function sinceEpoch(number: number): number {
  const [, unit] = UNITS.find(([below]) => number < below) ?? [0, 1e-6];
  return number * unit;
}

/** @returns milliseconds, NaN if it is none. ISO 8601 may do without its hyphens and colons. */
function parseTime(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? parseISO(text).getTime() : ms;
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
