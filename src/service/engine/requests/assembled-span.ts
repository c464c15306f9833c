import { increase } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import type { ReportedSpan, SpanNode } from './request-tree.ts';

/** A span with facts from its child spans and its log lines. */
export interface AssembledSpan extends ReportedSpan {
  /** Time of its request that is charged to it, see `chargeMoments`. */
  readonly ownMs: number;
  /** How often each kind of step happened in it: own sub-operations and calls to others. Of a call, its answer is none. */
  readonly steps: ReadonlyMap<string, number>;
  /** How often each line was written in it, by feature. */
  readonly logs: ReadonlyMap<string, number>;
  /** Other services that it called. */
  readonly calls: readonly Call[];
  /** It came after its trace was judged: its lines and child spans may have been, too. */
  readonly isLate: boolean;
}

export interface Call {
  readonly callee: string;
  readonly calls: number;
  readonly failed: number;
  /**
   * Time of the call that the callee does not account for: network and queues. null: not known, unless the span has
   * exactly one child, which is its own.
   */
  readonly gapMs: number | null;
}

/** @param callee for a call that nobody answered, else null */
export function assemble(
  node: SpanNode,
  logs: ReadonlyMap<string, number>,
  callee: string | null,
  isLate: boolean,
): AssembledSpan {
  const { span, sender, children } = node;
  const steps = new Map<string, number>();
  for (const child of children) {
    if (span.role === 'client' && child.span.service !== span.service) {
      continue; // a call that was answered has arrived, whether or not its callee reports it
    }
    increase(steps, `step ${child.span.service} ${child.span.operation}`, 1, LIMITS.features);
  }
  return { span, sender, ownMs: node.ownMs, steps, logs, calls: callsOf(node, callee), isLate };
}

function callsOf({ span, children }: SpanNode, callee: string | null): Call[] {
  if (children.length === 0) {
    return callee === null ? [] : [{ callee, calls: 1, failed: span.isFailed ? 1 : 0, gapMs: null }];
  }
  const isOneCall = children.length === 1;
  const isAdopted = children.some((child) => child.isAdopted);
  const remote = Map.groupBy(
    children.filter((child) => child.span.service !== span.service),
    (child) => child.span.service,
  );
  return [...remote].map(([service, answers]) => {
    const failed = answers.filter((answer) => answer.span.isFailed).length;
    const durationMs = answers.reduce((sum, answer) => sum + answer.span.durationMs, 0);
    return {
      callee: service,
      calls: answers.length,
      failed: Math.max(failed, isOneCall && span.isFailed ? 1 : 0),
      gapMs: isOneCall && !isAdopted ? Math.max(0, span.durationMs - durationMs) : null,
    };
  });
}
