import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlackError } from '../../src/errors.ts';
import { parseContent } from '../../src/validation/message.ts';
import { parseView } from '../../src/validation/view.ts';
import { BLOCK_LIMITS, type Block, image, MODAL_LIMITS, plain } from './limits-catalogue.ts';

/** Blocks within their limits, small enough that several fit into a message. */
const surroundings: fc.Arbitrary<Block[]> = fc.array(
  fc
    .constantFrom(...BLOCK_LIMITS.filter((each) => each.name !== 'block_id'))
    .chain((each) => fc.integer({ min: each.min, max: Math.min(each.max, 100) }).map((size) => each.make(size))),
  { maxLength: 6 },
);

/** A block at its limit, and just beyond it. */
const edge: fc.Arbitrary<{ within: Block; beyond: Block; at: string }> = fc
  .constantFrom(...BLOCK_LIMITS)
  .chain((each) =>
    fc.boolean().map((isFloor) => {
      const isLow = isFloor && each.hasNoFloor !== true;
      const size = isLow ? each.min : each.max;
      const past = isLow ? size - 1 : size + 1;
      return { within: each.make(size), beyond: each.make(past), at: each.at };
    }),
  );

/** The error of Slack, with its pointers. */
function verdict(check: () => unknown): { error: string; pointers: string[] } {
  try {
    check();
    return { error: 'ok', pointers: [] };
  } catch (error) {
    if (!(error instanceof SlackError)) {
      throw error;
    }
    const { messages } = error.details.response_metadata as { messages: string[] };
    const pointers = messages.map((message) => /\[json-pointer:(.*)\]$/.exec(message)?.[1] ?? message);
    return { error: error.code, pointers };
  }
}

const message =
  (blocks: readonly Block[]): (() => unknown) =>
  () =>
    parseContent({ text: 'fallback', blocks });
const names = { nameBlocks: () => [] };
const modal =
  (fields: object): (() => unknown) =>
  () =>
    parseView({ type: 'modal', title: plain(1), submit: plain(1), blocks: [], ...fields }, 'modal', names);
const home =
  (fields: object): (() => unknown) =>
  () =>
    parseView({ type: 'home', blocks: [], ...fields }, 'home', names);

const OK = { error: 'ok', pointers: [] };

it.each([
  ['message', (blocks: readonly Block[]) => message(blocks), 'invalid_blocks', ''],
  ['modal', (blocks: readonly Block[]) => modal({ blocks }), 'invalid_arguments', '/view'],
  ['home', (blocks: readonly Block[]) => home({ blocks }), 'invalid_arguments', '/view'],
] as const)('takes a %s within every limit, and names the one place that exceeds one', (_type, check, error, root) => {
  fc.assert(
    fc.property(surroundings, edge, surroundings, (before, each, after) => {
      expect(verdict(check([...before, each.within, ...after]))).toEqual(OK);
      expect(verdict(check([...before, each.beyond, ...after]))).toEqual({
        error,
        pointers: [`${root}/blocks/${before.length}${each.at}`],
      });
    }),
    { numRuns: 300 },
  );
});

it.each(MODAL_LIMITS)('accepts the $name of a modal up to $max and refuses more', ({ max, make, at }) => {
  expect(verdict(modal(make(max)))).toEqual(OK);
  expect(verdict(modal(make(max + 1)))).toEqual({ error: 'invalid_arguments', pointers: [`/view${at}`] });
});

it.each<[string, Block, string]>([
  ['a block that the page does not draw', { type: 'table', rows: [] }, '/type'],
  [
    'an image by id and url',
    image({ image_url: undefined, slack_file: { id: 'F1', url: 'https://a' } }),
    '/slack_file',
  ],
])('refuses %s', (_name, block, at) => {
  expect(verdict(message([block]))).toEqual({ error: 'invalid_blocks', pointers: [`/blocks/0${at}`] });
});
