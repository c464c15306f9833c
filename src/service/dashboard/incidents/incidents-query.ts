import { z } from 'zod';
import { Severity } from '../../../contract/resources.ts';
import { readLabelWords } from '../../core/incident-labels.ts';
import { readCursor } from '../../http/cursor.ts';
import type { IncidentFilter, IncidentOrder } from '../../store/incidents/incident-store.ts';
import type { Position } from '../../store/shared/page.ts';
import { Trail } from '../parts/paging.ts';
import { optional, pageAddress, QueryText } from '../query-fields.ts';

const Query = z.object({
  status: z.enum(['open', 'closed', 'all']).catch('open'),
  severity: optional(Severity),
  service: optional(QueryText),
  /** `team:payments, env:prod` */
  label: optional(QueryText),
  acknowledged: optional(z.enum(['yes', 'no'])),
  q: optional(QueryText),
  sort: optional(z.enum(['severity', 'newest'])),
  cursor: optional(z.string()),
  trail: Trail,
});

/** What the address of the list says. */
export type IncidentsQuery = Omit<z.infer<typeof Query>, 'cursor'> & {
  /** null: the first page. */
  readonly after: Position | null;
};

export function readIncidentsQuery(parameters: Readonly<Record<string, string>>): IncidentsQuery {
  const { cursor, ...query } = Query.parse(parameters);
  return { ...query, after: cursor === undefined ? null : readCursor(cursor, 'inc') };
}

export function filterOf({ status, severity, service, label, acknowledged, q }: IncidentsQuery): IncidentFilter {
  return {
    status: status === 'all' ? null : status,
    severity,
    service,
    labels: readLabelWords(label ?? ''),
    acknowledged: acknowledged === undefined ? undefined : acknowledged === 'yes',
    text: q,
  };
}

/** Open incidents come by severity unless asked otherwise. */
export function orderOf({ status, sort }: IncidentsQuery): IncidentOrder {
  return status === 'open' && sort !== 'newest' ? 'severity' : 'newest';
}

/** Whether anything but the status filters. */
export function isFiltered({ severity, service, label, acknowledged, q }: IncidentsQuery): boolean {
  return [severity, service, label, acknowledged, q].some((value) => value !== undefined);
}

/** The address of the list, with what differs from the default. */
export function incidentsUrl({
  status,
  ...query
}: Partial<Omit<IncidentsQuery, 'after' | 'trail'>> & Readonly<Record<string, unknown>>): string {
  return pageAddress('/dashboard/incidents', { status: status === 'open' ? undefined : status, ...query });
}
