import type { Block } from './model.ts';

const INTERACTIVE = /^(button|overflow|checkboxes|radio_buttons|datepicker|timepicker|.*_(select|input|button))$/;

/** Adds what Slack adds to blocks: missing `block_id`s and `action_id`s, and the defaults of text objects. */
export function nameBlocks(blocks: readonly Record<string, unknown>[], nextId: (prefix: string) => string): Block[] {
  return blocks.map((block) => {
    const named = name(block, nextId) as Record<string, unknown>; // an object stays an object
    const blockId = typeof named.block_id === 'string' ? named.block_id : nextId('B').toLowerCase();
    return { ...named, type: String(named.type), block_id: blockId };
  });
}

function name(value: unknown, nextId: (prefix: string) => string): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => name(each, nextId));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const fields: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, name(field, nextId)]),
  );
  if (fields.type === 'plain_text') {
    return { emoji: true, ...fields };
  }
  if (fields.type === 'mrkdwn') {
    return { verbatim: false, ...fields };
  }
  if (typeof fields.type === 'string' && INTERACTIVE.test(fields.type) && fields.action_id === undefined) {
    return { ...fields, action_id: nextId('A').toLowerCase() };
  }
  return fields;
}
