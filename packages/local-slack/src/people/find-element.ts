import { elementsOf, withNested } from '../validation/blocks.ts';
import type { Block } from '../workspace/model.ts';

/** An interactive element of a message or view, with its block. */
export interface Actionable {
  readonly block: Block;
  readonly element: Readonly<Record<string, unknown>>;
}

/** An `action_id`, the text of the element, or both ids when several blocks use the same `action_id`. */
export type ClickTarget = string | { readonly blockId: string; readonly actionId: string };

export function findActionable(blocks: readonly Block[], target: ClickTarget): Actionable | null {
  const all = withNested(blocks).flatMap((block) => elementsOf(block).map((element) => ({ block, element })));
  if (typeof target !== 'string') {
    const isMeant = ({ block, element }: Actionable): boolean =>
      block.block_id === target.blockId && element.action_id === target.actionId;
    return all.find(isMeant) ?? null;
  }
  return (
    all.find(({ element }) => element.action_id === target) ??
    all.find(({ element }) => labelOf(element) === target) ??
    null
  );
}

function labelOf(element: Readonly<Record<string, unknown>>): unknown {
  return (element.text as { text?: unknown } | undefined)?.text;
}
