import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import { byUrgency } from '../incident/severity.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import { resolveReference } from './answering.ts';

/** The typed text matches several incidents, so the person must choose. */
export interface Question {
  /** The service that was typed; null: nothing was typed. */
  readonly service: string | null;
  /** The worst first. */
  readonly incidents: readonly Snapshot[];
}

export interface FoundReferences {
  /** Unique ids. References that are not stored are included as typed, for the service to look up. */
  readonly ids: readonly string[];
  readonly questions: readonly Question[];
}

/**
 * Finds the incidents for what somebody typed: numbers, ids and root services with an open incident. Nothing typed means
 * the only open incident. Uses stored incidents only, because a command must be stored within three seconds.
 *
 * @param isUntaken prefer incidents that nobody has acknowledged
 */
export async function findReferences(
  store: { readonly incidents: IncidentStore },
  typed: readonly string[],
  wanted: Wanted,
): Promise<FoundReferences> {
  const found = await Promise.all(
    typed.length === 0
      ? [findOpen(store, null, wanted)]
      : typed.map((reference) => findReference(store, reference, wanted)),
  );
  return {
    ids: [...new Set(found.flatMap((each) => (typeof each === 'string' ? [each] : [])))],
    questions: found.flatMap((each) => (typeof each === 'string' || each === null ? [] : [each])),
  };
}

async function findReference(
  store: { readonly incidents: IncidentStore },
  typed: string,
  wanted: Wanted,
): Promise<string | Question> {
  const id = await resolveReference(store, typed);
  if (/^#?\d+$/.test(typed) || (await store.incidents.find(id)) !== null) {
    return id;
  }
  return (await findOpen(store, typed, wanted)) ?? id;
}

interface Wanted {
  /** Prefers incidents that nobody has acknowledged. */
  readonly isUntaken: boolean;
  readonly now: Date;
}

/** Finds the only open incident that matches. @returns null: there is none */
async function findOpen(
  store: { readonly incidents: IncidentStore },
  service: string | null,
  { isUntaken, now }: Wanted,
): Promise<string | Question | null> {
  const open = (await store.incidents.listOpen(service)).sort(byUrgency(now));
  const untaken = isUntaken ? open.filter((incident) => !isAcknowledged(incident)) : open;
  // Acknowledged incidents count only if a service was typed: the person is then told who has the incident.
  const incidents = untaken.length === 0 && service !== null ? open : untaken;
  const [only] = incidents;
  if (only === undefined) {
    return null;
  }
  return incidents.length === 1 ? only.id : { service, incidents };
}
