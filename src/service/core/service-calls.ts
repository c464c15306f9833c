import { LRUCache } from 'lru-cache';
import { httpStatus, isFailed, peerService } from './judge-spans.ts';
import type { ServiceCall } from './signal.ts';
import { type Span, UNKNOWN_SERVICE } from './telemetry.ts';

const MAX_SPANS = 50_000;
/** Limits the children that wait for one parent, which may never arrive. */
const MAX_ORPHANS_PER_PARENT = 100;

/** What is needed of a span when its parent or child arrives later. */
interface SeenSpan {
  readonly service: string;
  /** A client or producer span: the call failed if it failed. */
  readonly isOutgoing: boolean;
  /** The callee named by its attributes; that call is already counted. Empty when it names none. */
  readonly peer: string;
  readonly hasFailed: boolean;
}

/** State between batches, since parent and child may arrive in any order. Bounded. */
export interface CallState {
  readonly spans: LRUCache<string, SeenSpan>;
  /** Children by the missing parent. */
  readonly orphans: LRUCache<string, SeenSpan[]>;
}

export function createCallState(): CallState {
  return { spans: new LRUCache({ max: MAX_SPANS }), orphans: new LRUCache({ max: MAX_SPANS }) };
}

/**
 * Counts calls between services: spans whose parent belongs to another service, and client spans that name their peer.
 * Each span counts once.
 */
export function countCalls(spans: readonly Span[], state: CallState): ServiceCall[] {
  const calls = spans.flatMap((span) => callsOf(span, state));
  return sumCalls(calls);
}

/** One entry per pair of services. */
export function sumCalls(calls: readonly ServiceCall[]): ServiceCall[] {
  const sums = new Map<string, ServiceCall>();
  for (const call of calls) {
    const key = JSON.stringify([call.from, call.to]);
    const sum = sums.get(key);
    sums.set(key, {
      ...call,
      calls: call.calls + (sum?.calls ?? 0),
      errors: call.errors + (sum?.errors ?? 0),
    });
  }
  return [...sums.values()];
}

function callsOf(span: Span, { spans, orphans }: CallState): ServiceCall[] {
  const key = span.traceId + span.spanId;
  if (spans.has(key)) {
    return [];
  }
  const isOutgoing = span.kind === 'client' || span.kind === 'producer';
  const peer = isOutgoing ? peerService(span.attributes) : '';
  const seen: SeenSpan = { service: span.resource.service, isOutgoing, peer, hasFailed: hasCallFailed(span) };
  spans.set(key, seen);

  const toPeer = peer === '' ? [] : callBetween(seen.service, peer, seen.hasFailed);
  const toChildren = (orphans.get(key) ?? []).flatMap((child) => callByParent(seen, child));
  orphans.delete(key);
  const fromParent = span.parentSpanId === null ? [] : findParent(span.traceId + span.parentSpanId, seen);
  return [...toPeer, ...toChildren, ...fromParent];

  function findParent(parentKey: string, child: SeenSpan): ServiceCall[] {
    const parent = spans.get(parentKey);
    if (parent !== undefined) {
      return callByParent(parent, child);
    }
    const siblings = orphans.get(parentKey) ?? [];
    if (siblings.length < MAX_ORPHANS_PER_PARENT) {
      siblings.push(child);
    }
    orphans.set(parentKey, siblings);
    return [];
  }
}

function callByParent(parent: SeenSpan, child: SeenSpan): ServiceCall[] {
  if (parent.peer === child.service) {
    return [];
  }
  return callBetween(parent.service, child.service, child.hasFailed || (parent.isOutgoing && parent.hasFailed));
}

function callBetween(from: string, to: string, hasFailed: boolean): ServiceCall[] {
  if (from === to || from === UNKNOWN_SERVICE || to === UNKNOWN_SERVICE) {
    return [];
  }
  return [{ from, to, calls: 1, errors: hasFailed ? 1 : 0 }];
}

/** A 4xx is the caller's own error; the callee answered. */
function hasCallFailed(span: Span): boolean {
  const status = httpStatus(span);
  return isFailed(span) && !(status !== null && status >= 400 && status < 500);
}
