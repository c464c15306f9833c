import type { KnownBlock } from '@slack/types';
import { LIMITS } from './limits.ts';

/** For the counter behind an id. */
const ROOM_FOR_COUNTER = 5;

/**
 * Gives each block with controls an id that is the same when it is drawn again. Slack would make a new one each time, and
 * a click on a control that was redrawn meanwhile would find nothing.
 */
export function withFixedIds(blocks: readonly KnownBlock[]): KnownBlock[] {
  const taken = new Set(blocks.flatMap(({ block_id: id }) => id ?? []));
  return blocks.map((block) => {
    const wanted = block.block_id === undefined ? idOf(block) : null;
    if (wanted === null) {
      return block;
    }
    const room = wanted.slice(0, LIMITS.blockId - ROOM_FOR_COUNTER).toWellFormed();
    let id = room;
    for (let count = 2; taken.has(id); count += 1) {
      id = `${room}:${count}`;
    }
    taken.add(id);
    return { ...block, block_id: id };
  });
}

/** A row is named for what its button is about; null: the block has no control. */
function idOf(block: KnownBlock): string | null {
  if (block.type === 'actions') {
    return 'actions';
  }
  if (block.type !== 'section' || block.accessory === undefined) {
    return null;
  }
  return 'value' in block.accessory && block.accessory.value ? block.accessory.value : 'row';
}
