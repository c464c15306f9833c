import { z } from 'zod';
import { SignalType } from '../../../contract/resources.ts';
import { subHours } from '../../../runtime/dates.ts';
import { readCursor } from '../../http/cursor.ts';
import type { Position } from '../../store/shared/page.ts';
import type { SignalFilter } from '../../store/signals/signal-store.ts';
import { Trail } from '../parts/paging.ts';
import { optional, pageAddress, QueryText } from '../query-fields.ts';

/** How far back the explorer looks, in hours. */
const WITHIN = { hour: 1, day: 24, week: 168, all: null } as const;

const Query = z.object({
  type: optional(SignalType),
  service: optional(QueryText),
  q: optional(QueryText),
  /** Number or id of the incident that they belong to. */
  incident: optional(QueryText),
  within: optional(z.enum(['hour', 'day', 'week', 'all'])),
  cursor: optional(z.string()),
  trail: Trail,
});

/** Which signals an address asks for. What makes no sense is left out. */
export type SignalsQuery = Omit<z.infer<typeof Query>, 'cursor'> & {
  /** null: the first page. */
  readonly after: Position | null;
};

export function readSignalsQuery(parameters: Readonly<Record<string, string>>): SignalsQuery {
  const { cursor, ...query } = Query.parse(parameters);
  return { ...query, after: cursor === undefined ? null : readCursor(cursor, 'sig') };
}

/** Without the time. */
export function signalFilterOf({ type, service, q }: SignalsQuery): SignalFilter {
  return { type, service, text: q };
}

/** The explorer shows the last day, or all signals of an incident, unless asked otherwise. */
export function withinOf({ within, incident }: SignalsQuery): keyof typeof WITHIN {
  return within ?? (incident === undefined ? 'day' : 'all');
}

export function startOf(query: SignalsQuery, now: Date): Date | undefined {
  const hours = WITHIN[withinOf(query)];
  return hours === null ? undefined : subHours(now, hours);
}

export function isNarrowed({ type, service, q }: SignalsQuery): boolean {
  return [type, service, q].some((value) => value !== undefined);
}

/** The page with other parameters. */
export function withQuery(
  path: string,
  { after: _after, ...query }: SignalsQuery,
  more: Readonly<Record<string, string>> = {},
): string {
  return pageAddress(path, { ...query, ...more });
}
