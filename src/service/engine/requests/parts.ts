import type { SpanNode } from './request-tree.ts';

/**
 * The children of a span, where internal spans that did not fail are replaced by their own children: many libraries report a failure
 * on the span around them only.
 *
 * @returns in order of their end
 */
export function partsOf({ span, children }: SpanNode): readonly SpanNode[] {
  const isSeenThrough = ({ span: child }: SpanNode) =>
    !child.isFailed && child.service === span.service && (child.role === 'internal' || child.role === 'unknown');
  if (!children.some(isSeenThrough)) {
    return children;
  }
  const parts: SpanNode[] = [];
  const stack = children.toReversed();
  for (let child = stack.pop(); child !== undefined; child = stack.pop()) {
    if (isSeenThrough(child)) {
      stack.push(...child.children.toReversed());
    } else {
      parts.push(child);
    }
  }
  return parts.sort((a, b) => a.span.at - b.span.at);
}
