import { elementsOf } from '../validation/blocks.ts';
import type { Block, Ephemeral, Message, View } from '../workspace/model.ts';

/** An interactive element of a message or view, with its block. */
export interface Actionable {
  readonly block: Block;
  readonly element: Readonly<Record<string, unknown>>;
}

/** The element, and the unfurled link that contains it. */
export interface Found extends Actionable {
  /** null: the message or view itself contains the element. */
  readonly unfurl: Readonly<Record<string, unknown>> | null;
}

/** Searches a message or view, and then its unfurled links. */
export function findInPlace(place: Message | Ephemeral | View, target: ClickTarget): Found | null {
  const own = findActionable(place.kind === 'view' ? place.content.blocks : place.blocks, target);
  if (own !== null || place.kind !== 'message') {
    return own && { ...own, unfurl: null };
  }
  for (const unfurl of place.attachments) {
    const blocks = Array.isArray(unfurl.blocks) ? (unfurl.blocks as Block[]) : []; // validated when they were sent
    const found = findActionable(blocks, target);
    if (found !== null) {
      return { ...found, unfurl };
    }
  }
  return null;
}

/** An `action_id`, the text of the element, or both ids when several blocks use the same `action_id`. */
export type ClickTarget = string | { readonly blockId: string; readonly actionId: string };

function findActionable(blocks: readonly Block[], target: ClickTarget): Actionable | null {
  const all = blocks.flatMap((block) => elementsOf(block).map((element) => ({ block, element })));
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
