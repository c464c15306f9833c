import type { Family, Lost } from './telemetry-item.ts';
import { readable } from './text.ts';

/**
 * What somebody taught: by closing an incident as "not a problem", that the same evidence has to be clearly stronger; by
 * setting its root, which of two services is the root when both show the same again.
 */
export interface Lesson {
  readonly id: string;
  /** Number of the incident that taught it. */
  readonly incident: number;
  readonly at: number;
  /** The lesson ends then by itself. */
  readonly until: number;
  readonly taught: Taught;
}

export type Taught = TaughtRequests | TaughtFinding | TaughtRoot;

/** Somebody set another root than the one that was found. */
export interface TaughtRoot {
  readonly kind: 'root';
  /** The service that was found, and the kinds of evidence there, as a person reads them, the most telling first. */
  readonly found: string;
  readonly foundShows: readonly string[];
  /** Share of its requests that it lost, 0 to 1. */
  readonly foundShare: number;
  /** The service that was set, and the kinds of evidence there; those that the found one explains only if there is no other. */
  readonly root: string;
  readonly rootShows: readonly string[];
}

/** Requests that were lost at one place, as one sender reports it. */
export interface TaughtRequests {
  readonly kind: 'requests';
  readonly place: string;
  readonly sender: string;
  readonly family: 'harmed_requests' | 'tolerated_failures' | 'lost_time';
  /** Whether most of them failed or were slow. Requests of the other form are not taught. */
  readonly form: 'failed' | 'slow';
  readonly kinds: readonly Lost['kind'][];
  /** Operations of the spans that were blamed. */
  readonly operations: readonly string[];
  /** Where the requests came in, see `entryKeyOf`. */
  readonly entries: readonly string[];
  /** Share of the requests with these entries, 0 to 1. */
  readonly share: number;
  /** Mean time beyond the usual. */
  readonly extraMs: number;
}

/** An error line, a metric, or requests that stopped. */
export interface TaughtFinding {
  readonly kind: 'finding';
  readonly service: string;
  readonly family: Family;
  readonly subject: string;
  /** For a line, how often a minute; for a metric, its distance from the usual; for a stop, its minutes. */
  readonly size: number;
}

/** A decision of a person about lessons. Plain data: it is written to the log. */
export type LessonDecision =
  | {
      readonly kind: 'teach';
      readonly at: number;
      readonly lessons: readonly Lesson[];
      /** Of the incident that taught them, see `Incident.ordinal`. Absent in the log of an earlier version: its number. */
      readonly ordinal?: number;
    }
  | { readonly kind: 'forget'; readonly at: number; readonly ids: readonly string[] };

/** Days after which a lesson ends by itself. */
export const LESSON_DAYS = 90;

/** Lessons of one incident. */
export const MAX_LESSONS = 20;

/** What closing an incident as "not a problem" teaches. */
export function noProblemsIn(teachable: readonly Taught[]): Taught[] {
  return teachable.filter(({ kind }) => kind !== 'root');
}

/** What setting its root by hand teaches; null: nothing, for example because the service shows nothing of its own. */
export function rootLessonIn(teachable: readonly Taught[], root: string | undefined): TaughtRoot | null {
  return teachable.find((taught): taught is TaughtRoot => taught.kind === 'root' && taught.root === root) ?? null;
}

/** One sentence for people: what counts less, or which service is the root. */
export function describeTaught(taught: Taught): string {
  if (taught.kind === 'root') {
    const { found, foundShows, root, rootShows } = taught;
    const [ofFound, ofRoot] = [oneOf(foundShows), oneOf(rootShows)];
    const shown = ofFound === ofRoot ? `both show ${ofRoot}` : `${found} shows ${ofFound} and ${root} shows ${ofRoot}`;
    return `${root} is the root, not ${found}, if ${shown}`;
  }
  if (taught.kind === 'finding') {
    const { service, family, subject, size } = taught;
    if (family === 'requests_stopped') {
      return `${service}: no requests for ${Math.round(size)} minutes`;
    }
    const isLine = family === 'error_log' || family === 'new_error_log';
    return isLine
      ? `${service}: the line "${wordsOf(subject)}", ${amount(size)} a minute`
      : `${service}: ${wordsOf(subject)}, ${amount(size)} beyond its usual`;
  }
  const { place, form, operations, share } = taught;
  const [first = 'requests', ...more] = operations;
  const also = more.length === 0 ? '' : ` and ${more.length} more`;
  return `${place}: ${form} requests in ${wordsOf(first)}${also}, ${percent(share)} of them`;
}

/** `failed requests`, `one of: failed requests, a deployment` */
function oneOf(kinds: readonly string[]): string {
  const shown = kinds.map(wordsOf);
  return shown.length > 1 ? `one of: ${shown.join(', ')}` : shown.join('');
}

const SHOWN = 80;

/** A text as people read it. */
function wordsOf(text: string): string {
  return readable(text).slice(0, SHOWN);
}

function percent(share: number): string {
  return `${share < 0.1 ? Math.round(1_000 * share) / 10 : Math.round(100 * share)} %`;
}

function amount(value: number): string {
  return String(Number(value.toPrecision(2)));
}
