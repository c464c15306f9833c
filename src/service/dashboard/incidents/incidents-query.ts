import { z } from 'zod';
import { Severity } from '../../../contract/resources.ts';
import { readCursor } from '../../http/cursor.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentFilter, IncidentOrder } from '../../store/incident-store.ts';
import type { Position } from '../../store/page.ts';

const MAX_TEXT = 200;

/** An absent or empty field does not filter, and neither does one that makes no sense. */
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const Text = StorableText.trim().min(1).max(MAX_TEXT);

const Query = z.object({
  status: z.enum(['open', 'closed', 'all']).catch('open'),
  severity: optional(Severity),
  service: optional(Text),
  acknowledged: optional(z.enum(['yes', 'no'])),
  q: optional(Text),
  sort: optional(z.enum(['severity', 'newest'])),
  cursor: optional(z.string()),
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

export function filterOf({ status, severity, service, acknowledged, q }: IncidentsQuery): IncidentFilter {
  return {
    status: status === 'all' ? null : status,
    severity,
    service,
    acknowledged: acknowledged === undefined ? undefined : acknowledged === 'yes',
    text: q,
  };
}

/** Open incidents come by severity unless asked otherwise. */
export function orderOf({ status, sort }: IncidentsQuery): IncidentOrder {
  return status === 'open' && sort !== 'newest' ? 'severity' : 'newest';
}

/** Whether anything but the status filters. */
export function isFiltered({ severity, service, acknowledged, q }: IncidentsQuery): boolean {
  return [severity, service, acknowledged, q].some((value) => value !== undefined);
}

/** The address of the list, with what differs from the default. */
export function incidentsUrl(query: Partial<Omit<IncidentsQuery, 'after'>> & { readonly cursor?: string }): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'string' && !(name === 'status' && value === 'open') ? [[name, value] as [string, string]] : [],
  );
  return given.length === 0 ? '/dashboard/incidents' : `/dashboard/incidents?${new URLSearchParams(given).toString()}`;
}
