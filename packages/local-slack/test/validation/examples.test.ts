import { expect, it } from 'vitest';
import { parseContent } from '../../src/validation/message.ts';
import { parseView } from '../../src/validation/view.ts';
import { BLOCKS, MESSAGE_BLOCKS } from './examples-catalogue.ts';

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: true });
const names = { nameBlocks: () => [] };

it.each(Object.entries({ ...BLOCKS, ...MESSAGE_BLOCKS }))('accepts %s in a message', (_name, block) => {
  expect(() => parseContent({ text: 'fallback', blocks: [block] })).not.toThrow();
});

it.each(Object.entries(BLOCKS))('accepts %s in a modal and a Home tab', (_name, block) => {
  const modal = { type: 'modal', title: plain('A modal'), submit: plain('Submit'), close: plain('Cancel') };

  expect(() => parseView({ ...modal, blocks: [block], notify_on_close: true }, 'modal', names)).not.toThrow();
  expect(() => parseView({ type: 'home', blocks: [block], callback_id: 'home' }, 'home', names)).not.toThrow();
});
