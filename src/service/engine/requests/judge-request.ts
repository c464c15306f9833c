import { type Blame, blameFailure, blameTime, slowParts, tolerated } from './blame.ts';
import { type SpanNode, walk } from './request-tree.ts';
import { calleeOf, isMuchLonger, type UsualTimes, usualOf } from './usual-times.ts';

/** Verdict of one request about a place that it went through. */
export type Mark = 'well' | 'harmed' | 'tolerated' | 'slow';

export interface JudgedRequest {
  readonly traceId: string;
  /** When its entry ended. */
  readonly at: number;
  readonly entry: SpanNode;
  /** null: it harmed nobody. */
  readonly harm: 'failed' | 'slow' | null;
  /** Time beyond the usual of its entry. */
  readonly extraMs: number;
  /** The place that its harm is blamed on; null: no place explains it, or there is no harm. */
  readonly blame: Blame | null;
  /** One mark for each place and sender. */
  readonly marks: readonly PlaceMark[];
}

export interface PlaceMark {
  readonly place: string;
  readonly sender: string;
  readonly mark: Mark;
  /** Instance of the place; null: not reported. */
  readonly instance: string | null;
  /** null: the mark is `well`. */
  readonly blame: Blame | null;
}

/** Tells whether a request failed or took much longer than usual, and where. */
export function judgeRequest(usual: UsualTimes, entry: SpanNode): JudgedRequest {
  const { span } = entry;
  const known = usualOf(usual, entry, 'duration');
  const extraMs = known === null ? 0 : Math.max(0, span.durationMs - known.medianMs);
  const isSlow = known !== null && isMuchLonger(span.durationMs, known);
  const harm = span.isFailed ? 'failed' : isSlow ? 'slow' : null;
  const blame =
    harm === 'failed' ? blameFailure(usual, entry) : harm === 'slow' ? blameTime(usual, entry, extraMs) : null;
  return { traceId: span.traceId, at: span.at, entry, harm, extraMs, blame, marks: markPlaces(usual, entry, blame) };
}

function markPlaces(usual: UsualTimes, entry: SpanNode, harmful: Blame | null): PlaceMark[] {
  const marks = new Map<string, PlaceMark>();
  const set = (place: string, sender: string, mark: Mark, blame: Blame | null) => {
    const key = `${sender}|${place}`;
    const own = blame === null ? null : instanceIn(blame);
    marks.set(key, { place, sender, mark, instance: own ?? marks.get(key)?.instance ?? null, blame });
  };
  for (const node of walk(entry)) {
    const { service, instance = null } = node.span;
    marks.set(`${node.sender}|${service}`, {
      place: service,
      sender: node.sender,
      mark: 'well',
      instance,
      blame: null,
    });
    const callee = calleeOf(usual, node);
    if (callee !== null) {
      set(callee, node.sender, 'well', null);
    }
  }
  if (harmful === null) {
    for (const part of slowParts(usual, entry)) {
      set(part.place, part.sender, 'slow', part);
    }
    for (const failure of tolerated(usual, entry)) {
      set(failure.place, failure.sender, 'tolerated', failure);
    }
  } else {
    set(harmful.place, harmful.sender, 'harmed', harmful);
  }
  return [...marks.values()];
}

function instanceIn({ place, node: { span } }: Blame): string | null {
  return span.service === place ? (span.instance ?? null) : null;
}
