import { z } from 'zod';
import { type Incident, Severity } from '../../../contract/resources.ts';

/**
 * What people set by hand in place of what the service finds; null: back to that, or nobody. A field that is absent stays
 * as it is. People are named as the service knows them.
 */
export const SetByHand = z
  .object({
    title: z.string().nullable(),
    severity: Severity.nullable(),
    root_service: z.string().nullable(),
    lead: z.string().nullable(),
    communications: z.string().nullable(),
  })
  .partial();
export type SetByHand = z.infer<typeof SetByHand>;

export const NamedPeople = z.object({ lead: z.string(), communications: z.string() }).partial();

/** Every field: the value that is set by hand, or null. */
export type AllSetByHand = { readonly [Field in keyof SetByHand]-?: NonNullable<SetByHand[Field]> | null };

/** What people have set by hand; null: the service's own view, or nobody. */
export function setByHand(incident: Incident): AllSetByHand {
  const { detected = {}, title, severity, root_service: root, lead = null, communications = null } = incident;
  return {
    title: 'title' in detected ? (title ?? null) : null,
    severity: 'severity' in detected ? (severity ?? null) : null,
    root_service: 'root_service' in detected ? root : null,
    lead,
    communications,
  };
}

/** Whether the incident shows all of that. */
export function isSet(incident: Incident, wanted: SetByHand): boolean {
  const shown: SetByHand = setByHand(incident);
  return STEERED.every((field) => wanted[field] === undefined || wanted[field] === shown[field]);
}

/** Whether one of the fields is set by both. */
export function setsTheSame(one: SetByHand, other: SetByHand): boolean {
  return STEERED.some((field) => one[field] !== undefined && other[field] !== undefined);
}

const STEERED = ['title', 'severity', 'root_service', 'lead', 'communications'] as const satisfies (keyof SetByHand)[];
