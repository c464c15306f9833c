import type { CorrelationState } from './correlation-state.ts';
import type { Incident } from './incident.ts';
import { asPast, findSimilar } from './past.ts';

/** Similar incidents that are listed for one. */
const MAX_SIMILAR = 10;

/** Numbers of earlier incidents that had the same alert, or in which the same root failed in the same way, newest first. */
export function similar({ past, live }: CorrelationState, incident: Incident): number[] {
  const silent = (live.byRoot.get(incident.root) ?? []).flatMap((number) => {
    const other = live.byNumber.get(number);
    const isOver = other !== undefined && (other.activity !== 'failing' || other.closedAt !== null);
    return isOver && number < incident.number ? [asPast(other)] : [];
  });
  const continued = [...incident.members.values()].flatMap(({ evidence }) => evidence.previous ?? []);
  const all = new Set([...continued, ...findSimilar([...past, ...silent], incident)]);
  return [...all].toSorted((a, b) => b - a).slice(0, MAX_SIMILAR);
}
