import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlackError } from '../../src/errors.ts';
import { parseContent } from '../../src/validation/message.ts';
import { parseView } from '../../src/validation/view.ts';
import {
  BLOCK_LIMITS,
  type Block,
  cell,
  container,
  dataTable,
  image,
  LIMITS_OF_VIEWS,
  type Limit,
  MODAL_LIMITS,
  plain,
  video,
} from './limits-catalogue.ts';
import { LIMITS_OF_MESSAGES } from './limits-catalogue-tables.ts';

/** A block within its limit, small enough that several fit into a message. */
const validBlock = (limits: readonly Limit[]): fc.Arbitrary<Block> =>
  fc
    .constantFrom(...limits)
    .chain((each) => fc.integer({ min: each.min, max: Math.min(each.max, 100) }).map((size) => each.make(size)));

const surroundings = (limits: readonly Limit[]): fc.Arbitrary<Block[]> =>
  fc.array(validBlock(limits.filter((each) => each.name !== 'block_id')), { maxLength: 6 });

/** A block at its limit, and just beyond it. */
const edge = (limits: readonly Limit[]): fc.Arbitrary<{ within: Block; beyond: Block; at: string }> =>
  fc.constantFrom(...limits).chain((each) =>
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

describe('random messages and views', () => {
  it('are accepted within every limit, and refused with the one place that exceeds a limit', () => {
    fc.assert(
      fc.property(
        surroundings(BLOCK_LIMITS),
        edge(LIMITS_OF_MESSAGES),
        surroundings(BLOCK_LIMITS),
        (before, each, after) => {
          expect(verdict(message([...before, each.within, ...after]))).toEqual(OK);
          expect(verdict(message([...before, each.beyond, ...after]))).toEqual({
            error: 'invalid_blocks',
            pointers: [`/blocks/${before.length}${each.at}`],
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['modal', modal],
    ['home', home],
  ] as const)('takes a %s within every limit, and names the one place where it is past one', (_type, view) => {
    fc.assert(
      fc.property(surroundings(LIMITS_OF_VIEWS), edge(LIMITS_OF_VIEWS), (before, each) => {
        expect(verdict(view({ blocks: [...before, each.within] }))).toEqual(OK);
        expect(verdict(view({ blocks: [...before, each.beyond] }))).toEqual({
          error: 'invalid_arguments',
          pointers: [`/view/blocks/${before.length}${each.at}`],
        });
      }),
      { numRuns: 200 },
    );
  });

  it('are refused when a view has blocks for messages only', () => {
    fc.assert(
      fc.property(validBlock(LIMITS_OF_MESSAGES.filter((each) => each.isMessageOnly === true)), (block) => {
        expect(verdict(message([block]))).toEqual(OK);
        expect(verdict(home({ blocks: [block] }))).toEqual({
          error: 'invalid_arguments',
          pointers: ['/view/blocks/0/type'],
        });
      }),
    );
  });
});

it.each(MODAL_LIMITS)('accepts the $name of a modal up to $max and refuses more', ({ max, make, at }) => {
  expect(verdict(modal(make(max)))).toEqual(OK);
  expect(verdict(modal(make(max + 1)))).toEqual({ error: 'invalid_arguments', pointers: [`/view${at}`] });
});

it.each<[string, Block, string]>([
  ['a file, which Slack shows but no app can send', { type: 'file', source: 'remote', external_id: 'f' }, '/type'],
  ['a card with nothing on it', { type: 'card' }, ''],
  ['a video that is not on https', video({ video_url: 'http://a.example/v' }), '/video_url'],
  ['an alert of no known level', { type: 'alert', text: plain(1), level: 'dire' }, '/level'],
  ['a task in no known state', { type: 'task_card', task_id: 't', title: 't', status: 'done' }, '/status'],
  ['a plan with a block that is no task', { type: 'plan', title: 'p', tasks: [{ type: 'divider' }] }, '/tasks/0/type'],
  ['a data table with a wider row', dataTable({ rows: [[cell()], [cell(), cell()]] }), '/rows/1'],
  [
    'a chart of something that is not on its axis',
    {
      type: 'data_visualization',
      title: 'c',
      chart: {
        type: 'line',
        series: [{ name: 's', data: [{ label: 'b', value: 1 }] }],
        axis_config: { categories: ['a'] },
      },
    },
    '/chart/series/0/data/0/label',
  ],
  [
    'a pie with nothing in a slice',
    { type: 'data_visualization', title: 'c', chart: { type: 'pie', segments: [{ label: 'a', value: 0 }] } },
    '/chart/segments/0/value',
  ],
  ['a container in a container', container({ child_blocks: [container({})] }), '/child_blocks/0/type'],
  [
    'an image by id and url',
    image({ image_url: undefined, slack_file: { id: 'F1', url: 'https://a' } }),
    '/slack_file',
  ],
  [
    'rich text with an unknown mention',
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'mention', id: 'U1' }] }] },
    '/elements/0/elements/0/type',
  ],
  [
    'rich text with an unknown style',
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text: 'a', style: { loud: true } }] }],
    },
    '/elements/0/elements/0/style',
  ],
])('refuses %s', (_name, block, at) => {
  expect(verdict(message([block]))).toEqual({ error: 'invalid_blocks', pointers: [`/blocks/0${at}`] });
});
