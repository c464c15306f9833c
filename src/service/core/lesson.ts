import type { Family, Lost } from './telemetry-item.ts';

/** What somebody taught by closing an incident as "not a problem": the same evidence then has to be clearly stronger. */
export interface Lesson {
  readonly id: string;
  /** Number of the incident that was closed. */
  readonly incident: number;
  readonly at: number;
  /** The lesson ends then by itself. */
  readonly until: number;
  readonly taught: Taught;
}

export type Taught = TaughtRequests | TaughtFinding;

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

/** An error line or a metric. */
export interface TaughtFinding {
  readonly kind: 'finding';
  readonly service: string;
  readonly family: Family;
  readonly subject: string;
  /** Of a line: how often a minute. Of a metric: its distance from the usual. */
  readonly size: number;
}

/** A decision of a person about lessons. Plain data: it is written to the log. */
export type LessonDecision =
  | { readonly kind: 'teach'; readonly at: number; readonly lessons: readonly Lesson[] }
  | { readonly kind: 'forget'; readonly at: number; readonly ids: readonly string[] };

/** Days after which a lesson ends by itself. */
export const LESSON_DAYS = 90;

/** Lessons of one incident. */
export const MAX_LESSONS = 20;

/** One sentence for people: what counts less. */
export function describeTaught(taught: Taught): string {
  if (taught.kind === 'finding') {
    const { service, family, subject, size } = taught;
    const isLine = family === 'error_log' || family === 'new_error_log';
    return isLine
      ? `${service}: the line "${subject.slice(0, SHOWN)}", ${amount(size)} a minute`
      : `${service}: ${subject.slice(0, SHOWN)}, ${amount(size)} beyond its usual`;
  }
  const { place, form, operations, share } = taught;
  const [first = 'requests', ...more] = operations;
  const also = more.length === 0 ? '' : ` and ${more.length} more`;
  return `${place}: ${form} requests in ${first.slice(0, SHOWN)}${also}, ${percent(share)} of them`;
}

const SHOWN = 80;

function percent(share: number): string {
  return `${share < 0.1 ? Math.round(1_000 * share) / 10 : Math.round(100 * share)} %`;
}

function amount(value: number): string {
  return String(Number(value.toPrecision(2)));
}
