import type { Actor } from '../../contract/actor.ts';
import { TooManyChangesError } from './errors.ts';
import type { ByHand, Found, Incident, IncidentRecord } from './incident.ts';
import { addNote, NOBODY, record } from './incident-changes.ts';
import { describeTaught, rootLessonIn } from './lesson.ts';

/** How often people may change one incident. */
export const MAX_CHANGES = 500;

/** What to set; null: back to what correlation finds, or nobody. Absent fields stay. */
export type ByHandChange = { readonly [Field in keyof ByHand]?: ByHand[Field] | null | undefined };

/** @param incident with the title, severity and root service that correlation found */
export function showByHand<Shown extends Incident>(incident: Shown): Shown {
  const { byHand, title, severity, rootService } = incident;
  const found: Found = {
    ...(byHand.title !== undefined && { title }),
    ...(byHand.severity !== undefined && { severity }),
    ...(byHand.rootService !== undefined && { rootService }),
  };
  const root = byHand.rootService ?? rootService;
  return {
    ...incident,
    found,
    title: byHand.title ?? title,
    severity: byHand.severity ?? severity,
    rootService: root,
    services: [...new Set([root, ...incident.services])],
  };
}

/**
 * Sets fields by hand. The same once more changes nothing.
 *
 * @throws {TooManyChangesError}
 */
export function setByHand(
  incident: IncidentRecord,
  change: ByHandChange,
  actor: Actor | null,
  now: Date,
): IncidentRecord {
  const { found } = incident;
  const merged = Object.entries({ ...incident.byHand, ...definedOf(change) });
  const byHand: ByHand = Object.fromEntries(merged.filter(([, value]) => value !== null));
  if (FIELDS.every((field) => byHand[field] === incident.byHand[field])) {
    return incident;
  }
  if (incident.timeline.filter(({ event }) => event === 'changed').length >= MAX_CHANGES) {
    throw new TooManyChangesError(incident.id, MAX_CHANGES);
  }
  const shown = showByHand({ ...incident, ...found, byHand, services: servicesFound(incident) });
  const text = FIELDS.flatMap((field) =>
    byHand[field] === incident.byHand[field] ? [] : [`${NAMES[field]}: ${byHand[field] ?? NONE[field]}`],
  ).join('; ');
  const changed = record(shown, { at: now, event: 'changed', ...(actor ?? NOBODY), text });
  const isNewRoot = byHand.rootService !== incident.byHand.rootService;
  const taught = isNewRoot ? rootLessonIn(incident.teachable, byHand.rootService) : null;
  return taught === null
    ? changed
    : record(changed, { at: now, event: 'taught', ...(actor ?? NOBODY), text: describeTaught(taught) });
}

/** Without a root that was set and has no signal. */
function servicesFound({ byHand, services, correlation }: Incident): string[] {
  const isFound = (service: string) => correlation.services.some(({ name }) => name === service);
  return services.filter((service) => service !== byHand.rootService || isFound(service));
}

/** What somebody says when they declare an incident. */
export interface Declaration {
  /** The same for each repetition. */
  readonly key: string;
  readonly title: string;
  readonly service: string;
  readonly severity: Incident['severity'];
  readonly note: string | null;
  /** null: they did not say. */
  readonly actor: Actor | null;
}

/**
 * Opens an incident by hand, or joins the one that its service has.
 *
 * @throws {BackPressureError} correlation is behind: the same declaration later finds the incident
 */
export type Declare = (declaration: Declaration) => Promise<IncidentRecord>;

/** Who declared, if they did not say. */
export const SOMEBODY: Actor = { by: 'somebody' };

/** Records a declaration in its incident. The same once more changes nothing. */
export function declare(
  incident: IncidentRecord,
  { title, note, actor }: Pick<Declaration, 'title' | 'note' | 'actor'>,
  now: Date,
): IncidentRecord {
  const since = incident.timeline.findLastIndex(({ event }) => event === 'closed');
  const recent = incident.timeline.slice(since + 1);
  if (recent.some(({ event, by, text }) => event === 'declared' && by === (actor?.by ?? null) && text === title)) {
    return incident;
  }
  const { by, byId } = actor ?? SOMEBODY;
  const declaredBy = incident.declaredBy ?? by;
  const declaredById = declaredBy === by ? byId : incident.declaredById;
  const moment = { at: now, event: 'declared', ...(actor ?? NOBODY), text: title } as const;
  const declared = record({ ...incident, declaredBy, declaredById }, moment);
  return note === null ? declared : addNote(declared, actor ?? SOMEBODY, note, now);
}

const NAMES = {
  title: 'title',
  severity: 'severity',
  rootService: 'root service',
  lead: 'lead',
  communications: 'communications',
} as const satisfies Record<keyof ByHand, string>;

const NONE = {
  title: 'as found',
  severity: 'as found',
  rootService: 'as found',
  lead: 'nobody',
  communications: 'nobody',
} as const satisfies Record<keyof ByHand, string>;

const FIELDS = Object.keys(NAMES) as (keyof ByHand)[]; // the keys of the record

function definedOf(change: ByHandChange): ByHandChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
