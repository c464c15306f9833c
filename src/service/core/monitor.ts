import type { CreateIntegrationRequest } from '../../contract/integrations.ts';
import { minutesToSeconds } from '../../runtime/dates.ts';
import { seenOnce } from './fold.ts';
import type { SignalBatch, SignalEnd } from './signal.ts';
import { clip, fingerprint, oneLine, TEXT_LIMITS } from './text.ts';

/** Watches for the silence of an integration. */
export interface MonitorRules {
  /** `heartbeat`: it only says that a job runs. `silence`: it sends signals, and should not stop. */
  readonly kind: 'heartbeat' | 'silence';
  /** Service of the incident. */
  readonly service: string;
  readonly intervalMs: number;
  /** What it may be late. */
  readonly graceMs: number;
}

/** All times are of the database's clock. */
export interface Monitor extends MonitorRules {
  readonly integrationId: string;
  readonly name: string;
  /** Last time that it was heard. */
  readonly seenAt: Date;
  /** Usual time between two of its requests; null: not known. */
  readonly usualMs: number | null;
  /** Time for what is reported of it: never before anything that was reported. */
  readonly at: Date;
}

/** @returns null: nothing is watched */
export function monitorOf(request: CreateIntegrationRequest): MonitorRules | null {
  if (request.type === 'heartbeat') {
    const { service, interval_seconds, grace_seconds } = request.config;
    return { kind: 'heartbeat', service, intervalMs: interval_seconds * 1_000, graceMs: grace_seconds * 1_000 };
  }
  if (!('silence_minutes' in request.config) || request.config.silence_minutes === undefined) {
    return null;
  }
  const intervalMs = minutesToSeconds(request.config.silence_minutes) * 1_000;
  return { kind: 'silence', service: clip(request.name ?? request.type, TEXT_LIMITS.service), intervalMs, graceMs: 0 };
}

/** A time in which nobody looked, by the clock of the database. */
export interface Pause {
  readonly from: Date;
  readonly to: Date;
  /** How long it really was, by a clock that is never set; null: not known. */
  readonly elapsedMs: number | null;
}

/** A shorter one is ordinary. */
export const LONGEST_LOOK_MS = 3_000;
/** A pause of unknown length may have been this long, whatever the clock says. */
const UNKNOWN_PAUSE_MS = 60_000;

/** When a monitor has to be heard again. */
export interface Deadline extends Pick<MonitorRules, 'intervalMs' | 'graceMs'> {
  readonly dueAt: Date;
  /** It was reported to be late. */
  readonly isLate: boolean;
}

/**
 * When a monitor is due after a pause. A step of the clock does not count. Time in which Tocsin may not have been there
 * does not count either, and what may have been sent in it is expected once more.
 */
export function dueAfter({ dueAt, intervalMs, graceMs, isLate }: Deadline, { from, to, elapsedMs }: Pause): Date {
  const leftMs = dueAt.getTime() - from.getTime();
  const passedMs = to.getTime() - from.getTime();
  const due = to.getTime() + leftMs - (elapsedMs ?? 0);
  const awayMs = elapsedMs ?? Math.max(passedMs, UNKNOWN_PAUSE_MS);
  const mayBeLost = !isLate && awayMs > LONGEST_LOOK_MS && leftMs - graceMs <= awayMs;
  return new Date(mayBeLost ? Math.max(due, to.getTime() + intervalMs + graceMs) : due);
}

const FINGERPRINT = fingerprint('monitor');

/** The monitor is late: an alert with an identity, so that repeats are the same incident. */
export function lateBatch(monitor: Monitor): SignalBatch {
  const { integrationId, kind, service, at, name } = monitor;
  return {
    sender: integrationId,
    signals: [
      {
        type: 'metric',
        service,
        summary: oneLine(describeSilence(monitor), TEXT_LIMITS.summary),
        severity: 'error',
        ...seenOnce(at),
        fingerprint: FINGERPRINT,
        traceId: null,
        spanId: null,
        attributes: { integration: clip(name, TEXT_LIMITS.attribute) },
        source: { format: kind },
        detail: { type: 'alert', reportsEnd: true },
      },
    ],
  };
}

/** The monitor was heard again. */
export function backBatch({ integrationId, at }: Monitor): SignalBatch {
  const end: SignalEnd = { fingerprint: FINGERPRINT, endedAt: at };
  return { sender: integrationId, signals: [], ends: [end] };
}

function describeSilence({ kind, name, seenAt, at, intervalMs, usualMs }: Monitor): string {
  const silence = spanWords(Math.max(at.getTime() - seenAt.getTime(), intervalMs));
  if (kind === 'heartbeat') {
    return `no heartbeat from ${name} for ${silence}, expected every ${spanWords(intervalMs)}`;
  }
  const usual = usualMs === null ? '' : `, usually every ${spanWords(Math.max(usualMs, 1_000))} or more often`;
  return `nothing came from ${name} for ${silence}${usual}`;
}

/** "90 s", "7 min", "26 h" */
function spanWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
