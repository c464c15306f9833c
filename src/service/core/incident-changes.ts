import type { Actor } from '../../contract/actor.ts';
import type { Severity } from '../../contract/resources.ts';
import { isWorse } from '../../incident/severity.ts';
import {
  IncidentClosedError,
  IncidentMergedError,
  IncidentNotMergedError,
  OtherSystemError,
  SameIncidentError,
  TooManyNotesError,
} from './errors.ts';
import type { Incident, IncidentRecord, TimelineMoment } from './incident.ts';
import { describeTaught, noProblemsIn } from './lesson.ts';

/** Who acts when Tocsin does. */
export const NOBODY = { by: null } as const;

/** Notes of one incident. */
export const MAX_NOTES = 500;

/** @throws {IncidentClosedError} */
export function acknowledge(incident: IncidentRecord, actor: Actor, now: Date): IncidentRecord {
  demandOpen(incident);
  if (incident.acknowledgement !== null) {
    return incident; // the first acknowledgement stays
  }
  const changed = { ...incident, acknowledgement: { ...actor, at: now } };
  return record(changed, { at: now, event: 'acknowledged', ...actor, text: null });
}

/** Repeating it changes nothing. @throws {IncidentClosedError} */
export function unacknowledge(
  incident: IncidentRecord,
  actor: Actor,
  reason: string | null,
  now: Date,
): IncidentRecord {
  demandOpen(incident);
  if (incident.acknowledgement === null) {
    return incident;
  }
  const changed = { ...incident, acknowledgement: null };
  return record(changed, { at: now, event: 'unacknowledged', ...actor, text: reason });
}

/**
 * Closes the incident. Repeating the request with the same note changes nothing.
 *
 * @param isNoProblem it was none, so its evidence is to count less from now on
 * @throws {IncidentClosedError} when it was closed with a different note
 */
export function resolve(
  incident: IncidentRecord,
  note: string,
  actor: Actor | null,
  now: Date,
  isNoProblem = false,
): IncidentRecord {
  if (incident.closing === null) {
    const closing = { note, ...(actor ?? NOBODY), at: now, ...(isNoProblem && { isNoProblem }) };
    const closed = record({ ...incident, closing }, { at: now, event: 'closed', ...(actor ?? NOBODY), text: note });
    const text = noProblemsIn(incident.teachable)
      .map((taught) => describeTaught(taught))
      .join('\n');
    return isNoProblem && text !== ''
      ? record(closed, { at: now, event: 'taught', ...(actor ?? NOBODY), text })
      : closed;
  }
  if (incident.closing.note !== note) {
    throw new IncidentClosedError(incident.id);
  }
  return incident;
}

/**
 * Opens a closed incident again. Its acknowledgement stays. Repeating it changes nothing.
 *
 * @throws {IncidentMergedError} when it is part of another incident
 */
export function reopen(incident: IncidentRecord, actor: Actor, reason: string | null, now: Date): IncidentRecord {
  if (incident.mergedInto !== null) {
    throw new IncidentMergedError(incident.id, incident.mergedInto);
  }
  if (incident.closing === null) {
    return incident;
  }
  return record({ ...incident, closing: null }, { at: now, event: 'reopened', ...actor, text: reason });
}

/**
 * Makes an open incident part of another open one, and closes it.
 *
 * @throws {SameIncidentError}
 * @throws {OtherSystemError} when they are of two systems
 * @throws {IncidentClosedError} when one of them is closed
 */
export function mergeInto(incident: IncidentRecord, into: Incident, actor: Actor, now: Date): IncidentRecord {
  if (incident.id === into.id) {
    throw new SameIncidentError(incident.id);
  }
  if (incident.system !== into.system) {
    throw new OtherSystemError(incident.id, incident.system, into.system);
  }
  demandOpen(incident);
  demandOpen(into);
  const note = mergeNote(into);
  const changed = { ...incident, mergedInto: into.id, closing: { note, ...actor, at: now } };
  const merged = record(changed, { at: now, event: 'merged', ...actor, text: `#${into.number}` });
  return record(merged, { at: now, event: 'closed', ...actor, text: note });
}

/**
 * Gets the signals of an incident that is merged into it. Both are as bad as the worse of them until correlation has judged
 * them as one; a severity that somebody set stays.
 */
export function takeIn(incident: IncidentRecord, gone: Incident, actor: Actor, now: Date): IncidentRecord {
  const { byHand, found } = incident;
  const [own, others] = [severityFound(incident), severityFound(gone)];
  const severity = isWorse(others, own) ? others : own;
  const whole =
    byHand.severity === undefined ? { ...incident, severity } : { ...incident, found: { ...found, severity } };
  return record(whole, { at: now, event: 'merged', ...actor, text: `#${gone.number}` });
}

function severityFound({ found, severity }: Incident): Severity {
  return found.severity ?? severity;
}

/** The resolution note of an incident that is part of another. */
export function mergeNote({ number, rootService }: Incident): string {
  return `Part of #${number}: ${rootService}.`;
}

/**
 * Makes an incident its own again, which opens it.
 *
 * @param from the incident that has its signals
 * @throws {IncidentNotMergedError}
 */
export function splitFrom(incident: IncidentRecord, from: Incident, actor: Actor, now: Date): IncidentRecord {
  demandMerged(incident);
  const changed = { ...incident, mergedInto: null, closing: null };
  return record(changed, { at: now, event: 'split', ...actor, text: `#${from.number}` });
}

/** @throws {IncidentNotMergedError} */
export function demandMerged({ id, mergedInto }: Incident): void {
  if (mergedInto === null) {
    throw new IncidentNotMergedError(id);
  }
}

/** Also of a closed incident. @throws {TooManyNotesError} */
export function addNote(incident: IncidentRecord, actor: Actor, text: string, now: Date): IncidentRecord {
  if (incident.timeline.filter(({ event }) => event === 'note').length >= MAX_NOTES) {
    throw new TooManyNotesError(incident.id, MAX_NOTES);
  }
  return record(incident, { at: now, event: 'note', ...actor, text });
}

/** Adds a moment to the timeline. */
export function record(incident: IncidentRecord, moment: TimelineMoment): IncidentRecord {
  return { ...incident, updatedAt: moment.at, timeline: [...incident.timeline, moment] };
}

/** What people do that opens an incident again. */
export const OPENED_AGAIN: readonly TimelineMoment['event'][] = ['reopened', 'split'];

/** Whether somebody has opened it again since then. */
export function wasOpenedAgain({ timeline }: Pick<IncidentRecord, 'timeline'>, since: Date): boolean {
  return timeline.some(({ event, at }) => OPENED_AGAIN.includes(event) && at >= since);
}

function demandOpen({ closing, id }: Incident): void {
  if (closing !== null) {
    throw new IncidentClosedError(id);
  }
}
