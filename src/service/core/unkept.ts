/**
 * Kinds of what a request with a success as its answer has not brought about; values of a metric's label.
 *
 * `unusable`: nothing can be made of it. `too-large`: it exceeds a limit. `unread`: nobody knows the field that holds it.
 * `out-of-time`: it is too old, or its time is wrong. `ended-nothing`: the end of a failure that nobody reported.
 * `opens-nothing`: it is kept, but too mild to open an incident.
 */
export const UNKEPT_KINDS = [
  'unusable',
  'too-large',
  'unread',
  'out-of-time',
  'ended-nothing',
  'opens-nothing',
] as const;
export type UnkeptKind = (typeof UNKEPT_KINDS)[number];

/** What was accepted, but not kept or without effect. */
export interface Unkept {
  readonly kind: UnkeptKind;
  readonly count: number;
  /** For people: how many, what, and why. */
  readonly reason: string;
  /** One of them as it was sent, which may hold secrets. Absent: it cannot be shown. */
  readonly example?: unknown;
}

export function unkept(kind: UnkeptKind, count: number, reason: string, example?: unknown): Unkept {
  return { kind, count, reason, ...(example === undefined || example === null ? {} : { example }) };
}
