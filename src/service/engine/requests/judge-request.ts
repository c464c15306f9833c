import type { ResourceAttributes } from '../../core/resource-attributes.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { senderKey } from '../bounded-map.ts';
import { type Blame, type Loss, lossOf, rejectionOf, slowParts, tolerated } from './blame.ts';
import { answerOf, calledBy } from './callees.ts';
import { firstOfRun, isRun, type SpanNode, walk } from './request-tree.ts';
import type { UsualTimes } from './usual-times.ts';

/**
 * What a request may lose at a place, each tested by itself: the request, because it failed or was slow, or because it was
 * rejected; a call that its caller got over; or time.
 */
export const TESTED = ['harmed', 'rejected', 'tolerated', 'slow'] as const;
export type Tested = (typeof TESTED)[number];

/** Verdict of one request about a place that it went through. */
export type Mark = 'well' | Tested;

/** A request with what its entry lost, and what that says about the places that it went through. */
export interface JudgedRequest extends Loss {
  /** When its entry ended. */
  readonly at: number;
  readonly entry: SpanNode;
  /** One mark for each place and sender. */
  readonly marks: readonly PlaceMark[];
}

export interface PlaceMark {
  readonly place: string;
  readonly sender: string;
  readonly mark: Mark;
  /** Instance of the place; null: not reported. */
  readonly instance: string | null;
  /** Where the place ran that answered, or that lost the request; null: not reported. */
  readonly ranAt: ResourceAttributes | null;
  /**
   * The spans with which the request reached the place, or those of its callers where it sent none; if the place lost the
   * request, the one of them that did.
   */
  readonly runs: readonly SpanNode[];
  /** null: the mark is `well`. */
  readonly blame: Blame | null;
  /** It is only named by calls that others answered, so it is no place until one of them is lost. */
  readonly isNamedOnly: boolean;
}

/** Judges whether a request failed or took much longer than usual, and where. */
export function judgeRequest(usual: UsualTimes, entry: SpanNode): JudgedRequest {
  const { at } = entry.span;
  const loss = lossOf(usual, entry);
  return { at, entry, ...loss, marks: markPlaces(usual, entry, loss.blame) };
}

/** Where a request came in: service and operation of its entry. */
export function entryKeyOf({ entry: { span } }: Pick<JudgedRequest, 'entry'>): string {
  return `${span.service} ${span.operation}`;
}

function markPlaces(usual: UsualTimes, entry: SpanNode, harmful: Blame | null): PlaceMark[] {
  const marks = new Map<string, PlaceMark & { readonly runs: SpanNode[] }>();
  const set = (
    place: string,
    sender: string,
    mark: Mark,
    blame: Blame | null,
    { lostRun = null, isNamedOnly = false }: { lostRun?: SpanNode | null; isNamedOnly?: boolean } = {},
  ) => {
    const key = senderKey(sender, place);
    const own = blame === null ? null : spanOf(blame);
    const known = marks.get(key);
    const runs = lostRun === null ? (known?.runs ?? []) : [lostRun];
    marks.set(key, {
      place,
      sender,
      mark,
      instance: own?.instance ?? known?.instance ?? null,
      ranAt: blame === null ? (known?.ranAt ?? null) : (own?.attributes ?? null),
      runs,
      blame,
      isNamedOnly: isNamedOnly && known?.isNamedOnly !== false,
    });
    return runs;
  };
  for (const node of walk(entry)) {
    const { service, instance = null, attributes: ranAt = null } = node.span;
    const key = senderKey(node.sender, service);
    const runs = marks.get(key)?.runs ?? [];
    if (isRun(node)) {
      runs.push(node);
    }
    const reached = { place: service, sender: node.sender, mark: 'well', instance, ranAt, runs } as const;
    marks.set(key, { ...reached, blame: null, isNamedOnly: false });
    const answerer = answerOf(node)?.span.service ?? null;
    if (answerer !== null) {
      set(answerer, node.sender, 'well', null);
    }
    const called = calledBy(usual, node);
    if (called !== null && called !== answerer) {
      set(called, node.sender, 'well', null, { isNamedOnly: answerer !== null }).push(node);
    }
  }
  if (harmful === null) {
    for (const part of slowParts(usual, entry)) {
      set(part.place, part.sender, 'slow', part);
    }
  }
  for (const failure of tolerated(usual, entry, harmful?.node ?? null)) {
    set(failure.place, failure.sender, 'tolerated', failure);
  }
  const rejection = harmful === null ? rejectionOf(usual, entry) : null;
  if (rejection !== null) {
    set(rejection.place, rejection.sender, 'rejected', rejection, { lostRun: lostRunOf(rejection) });
  }
  if (harmful !== null) {
    set(harmful.place, harmful.sender, 'harmed', harmful, { lostRun: lostRunOf(harmful) });
  }
  return [...marks.values()];
}

/** The span with which a lost request reached the place, or that of its caller if no span of the place came. */
function lostRunOf({ place, node }: Blame): SpanNode {
  return node.span.service === place
    ? firstOfRun(node)
    : (node.children.find(({ span }) => span.service === place) ?? node);
}

/** null: the place sent no span of what it lost. */
function spanOf({ place, node: { span } }: Blame): SpanItem | null {
  return span.service === place ? span : null;
}

/** The span that waited for the place of a mark; null: it is the entry. */
export function callerOf({ place, runs, blame }: PlaceMark): SpanItem | null {
  let each = blame?.node ?? runs.at(-1) ?? null;
  while (each?.span.service === place) {
    each = each.parent;
  }
  return each?.span ?? null;
}
