import type { CorrelationState } from './correlation-state.ts';
import { continuedBy } from './identity.ts';
import type { Incident } from './incident.ts';
import { asPast, findSimilar } from './past.ts';

/** Numbers of earlier incidents that had the same alert, or in which the same root failed in the same way, newest first. */
export function similar({ past, live }: CorrelationState, incident: Incident): number[] {
  const silent = (live.byRoot.get(incident.root) ?? []).flatMap((number) => {
    const other = live.byNumber.get(number);
    const isOver = other !== undefined && (other.activity !== 'failing' || other.closedAt !== null);
    return isOver && number < incident.number ? [asPast(other)] : [];
  });
  return continuedBy(incident, findSimilar([...past, ...silent], incident));
}
