import { expect, it } from 'vitest';
import { LIMITS } from '../../src/local-slack/limits.ts';
import { client, type Fixture, startFixture } from './local-slack-fixture.ts';

const chars = (length: number): string => 'x'.repeat(length);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const plain = (length: number): object => ({ type: 'plain_text', text: chars(length) });
const mrkdwn = (length: number): object => ({ type: 'mrkdwn', text: chars(length) });
const button = (fields: object = {}): object => ({ type: 'button', text: plain(5), ...fields });
const actions = (...elements: object[]): object => ({ type: 'actions', elements });
const option = (index: number, fields: object = {}): object => ({ text: plain(3), value: `v${index}`, ...fields });
const select = (fields: object = {}): object => ({ type: 'static_select', options: [option(0)], ...fields });
const input = (element: object, fields: object = {}): object => ({
  type: 'input',
  label: plain(5),
  element,
  ...fields,
});
const typed = (fields: object = {}): object => ({ type: 'plain_text_input', ...fields });
const image = (fields: object = {}): object => ({
  type: 'image',
  image_url: 'https://example.com/a.png',
  alt_text: 'a',
  ...fields,
});
const cell = (): object => ({ type: 'raw_text', text: 'c' });
const confirm = (title: number, text: number, buttonText: number): object => ({
  title: plain(title),
  text: mrkdwn(text),
  confirm: plain(buttonText),
  deny: plain(1),
});

/** What a limit bounds, the limit, and a message with something of that size at a JSON pointer. */
const MESSAGE_LIMITS: readonly (readonly [string, number, (size: number) => object[], string])[] = [
  ['blocks of a message', LIMITS.messageBlocks, (n) => times(n, () => ({ type: 'divider' })), '/blocks'],
  ['text of a section', LIMITS.sectionText, (n) => [{ type: 'section', text: mrkdwn(n) }], '/blocks/0/text/text'],
  [
    'fields of a section',
    LIMITS.sectionFields,
    (n) => [{ type: 'section', fields: times(n, () => mrkdwn(1)) }],
    '/blocks/0/fields',
  ],
  [
    'a field of a section',
    LIMITS.sectionField,
    (n) => [{ type: 'section', fields: [mrkdwn(n)] }],
    '/blocks/0/fields/0/text',
  ],
  ['a header', LIMITS.header, (n) => [{ type: 'header', text: plain(n) }], '/blocks/0/text/text'],
  [
    'elements of a context',
    LIMITS.contextElements,
    (n) => [{ type: 'context', elements: times(n, () => mrkdwn(1)) }],
    '/blocks/0/elements',
  ],
  [
    'elements of an actions block',
    LIMITS.actionsElements,
    (n) => [actions(...times(n, () => button()))],
    '/blocks/0/elements',
  ],
  [
    'text of a button',
    LIMITS.buttonText,
    (n) => [actions(button({ text: plain(n) }))],
    '/blocks/0/elements/0/text/text',
  ],
  [
    'value of a button',
    LIMITS.buttonValue,
    (n) => [actions(button({ value: chars(n) }))],
    '/blocks/0/elements/0/value',
  ],
  ['url of a button', LIMITS.buttonUrl, (n) => [actions(button({ url: chars(n) }))], '/blocks/0/elements/0/url'],
  ['action_id', LIMITS.actionId, (n) => [actions(button({ action_id: chars(n) }))], '/blocks/0/elements/0/action_id'],
  ['block_id', LIMITS.blockId, (n) => [{ type: 'divider', block_id: chars(n) }], '/blocks/0/block_id'],
  [
    'accessibility_label',
    LIMITS.accessibilityLabel,
    (n) => [actions(button({ accessibility_label: chars(n) }))],
    '/blocks/0/elements/0/accessibility_label',
  ],
  [
    'title of a confirm',
    LIMITS.confirmTitle,
    (n) => [actions(button({ confirm: confirm(n, 1, 1) }))],
    '/blocks/0/elements/0/confirm/title/text',
  ],
  [
    'text of a confirm',
    LIMITS.confirmText,
    (n) => [actions(button({ confirm: confirm(1, n, 1) }))],
    '/blocks/0/elements/0/confirm/text/text',
  ],
  [
    'button of a confirm',
    LIMITS.confirmButton,
    (n) => [actions(button({ confirm: confirm(1, 1, n) }))],
    '/blocks/0/elements/0/confirm/confirm/text',
  ],
  [
    'options of a select',
    LIMITS.options,
    (n) => [actions(select({ options: times(n, option) }))],
    '/blocks/0/elements/0/options',
  ],
  [
    'text of an option',
    LIMITS.optionText,
    (n) => [actions(select({ options: [option(0, { text: plain(n) })] }))],
    '/blocks/0/elements/0/options/0/text/text',
  ],
  [
    'value of an option',
    LIMITS.optionValue,
    (n) => [actions(select({ options: [option(0, { value: chars(n) })] }))],
    '/blocks/0/elements/0/options/0/value',
  ],
  [
    'description of an option',
    LIMITS.optionDescription,
    (n) => [actions(select({ options: [option(0, { description: plain(n) })] }))],
    '/blocks/0/elements/0/options/0/description/text',
  ],
  [
    'placeholder',
    LIMITS.placeholder,
    (n) => [actions(select({ placeholder: plain(n) }))],
    '/blocks/0/elements/0/placeholder/text',
  ],
  [
    'checkboxes',
    LIMITS.checkboxes,
    (n) => [actions({ type: 'checkboxes', options: times(n, option) })],
    '/blocks/0/elements/0/options',
  ],
  [
    'radio buttons',
    LIMITS.radioButtons,
    (n) => [actions({ type: 'radio_buttons', options: times(n, option) })],
    '/blocks/0/elements/0/options',
  ],
  [
    'options of an overflow',
    LIMITS.overflowOptions,
    (n) => [actions({ type: 'overflow', options: times(n, option) })],
    '/blocks/0/elements/0/options',
  ],
  ['alt_text of an image', LIMITS.imageAltText, (n) => [image({ alt_text: chars(n) })], '/blocks/0/alt_text'],
  ['title of an image', LIMITS.imageTitle, (n) => [image({ title: plain(n) })], '/blocks/0/title/text'],
  ['url of an image', LIMITS.imageUrl, (n) => [image({ image_url: chars(n) })], '/blocks/0/image_url'],
  ['rows of a table', LIMITS.tableRows, (n) => [{ type: 'table', rows: times(n, () => [cell()]) }], '/blocks/0/rows'],
  ['columns of a table', LIMITS.tableColumns, (n) => [{ type: 'table', rows: [times(n, cell)] }], '/blocks/0/rows/0'],
  ['label of an input', LIMITS.label, (n) => [input(typed(), { label: plain(n) })], '/blocks/0/label/text'],
  ['hint of an input', LIMITS.hint, (n) => [input(typed(), { hint: plain(n) })], '/blocks/0/hint/text'],
  [
    'initial value of a text input',
    LIMITS.inputText,
    (n) => [input(typed({ initial_value: chars(n) }))],
    '/blocks/0/element/initial_value',
  ],
  [
    'max_length of a text input',
    LIMITS.inputText,
    (n) => [input(typed({ max_length: n }))],
    '/blocks/0/element/max_length',
  ],
];

interface Refusal {
  readonly error: string;
  readonly messages: readonly string[];
}

/** Null when it was accepted. */
async function attempt(fixture: Fixture, method: string, args: Record<string, unknown>): Promise<Refusal | null> {
  return await client(fixture.slack)
    .apiCall(method, args)
    .then(
      () => null,
      ({ data }: { data: { error: string; response_metadata?: { messages?: string[] } } }) => ({
        error: data.error,
        messages: data.response_metadata?.messages ?? [],
      }),
    );
}

const post = (fixture: Fixture, blocks: object[]): Promise<Refusal | null> =>
  attempt(fixture, 'chat.postMessage', { channel: 'C0INCIDENT', text: 'fallback', blocks });

it.each(MESSAGE_LIMITS)(
  'takes %s up to %i and refuses one more at its pointer',
  async (_name, limit, make, pointer) => {
    await using fixture = await startFixture();

    expect(await post(fixture, make(limit))).toBeNull();
    expect(await post(fixture, make(limit + 1))).toMatchObject({
      error: 'invalid_blocks',
      messages: expect.arrayContaining([expect.stringContaining(`[json-pointer:${pointer}]`)]),
    });
  },
);

it.each<[string, object, string]>([
  ['an unknown block', { type: 'sektion' }, 'unsupported type: sektion [json-pointer:/blocks/0/type]'],
  ['an empty text', { type: 'section', text: { type: 'mrkdwn', text: '' } }, 'must be more than 0 characters'],
  ['a field that Slack does not know', { type: 'divider', colour: 'red' }, 'invalid additional property: colour'],
  ['a section that says nothing', { type: 'section' }, 'missing required field: text or fields'],
  ['mrkdwn where only plain text goes', { type: 'header', text: mrkdwn(3) }, 'unsupported type: mrkdwn'],
  [
    'one action_id twice in a block',
    actions(button({ action_id: 'a' }), button({ action_id: 'a' })),
    '"a" already exists',
  ],
  [
    'a select with nothing to choose',
    actions({ type: 'static_select' }),
    'must provide either options or option_groups',
  ],
])('refuses %s', async (_name, block, message) => {
  await using fixture = await startFixture();

  expect(await post(fixture, [block])).toMatchObject({
    error: 'invalid_blocks',
    messages: [expect.stringContaining(message)],
  });
});

it('refuses blocks whose text is too long together, and a second table', async () => {
  await using fixture = await startFixture();
  const sections = (total: number): object[] =>
    times(Math.ceil(total / 3_000), (index) => ({
      type: 'section',
      text: mrkdwn(Math.min(3_000, total - index * 3_000)),
    }));
  const table = { type: 'table', rows: [[cell()]] };

  expect(await post(fixture, sections(LIMITS.messageBlockText))).toBeNull();
  expect(await post(fixture, sections(LIMITS.messageBlockText + 1))).toMatchObject({ error: 'msg_blocks_too_long' });
  expect(await post(fixture, [table, table])).toMatchObject({ error: 'invalid_blocks' });
});

it('cuts the text of a message at 40,000 characters', async () => {
  await using fixture = await startFixture();

  await attempt(fixture, 'chat.postMessage', { channel: 'C0INCIDENT', text: chars(LIMITS.messageText + 5) });

  expect(fixture.slack.messages('incidents').map(({ text }) => text.length)).toEqual([LIMITS.messageText]);
});

const home = (fields: object): Record<string, unknown> => ({ type: 'home', blocks: [], ...fields });

it.each<[string, number, (size: number) => object, string]>([
  [
    'blocks of a Home tab',
    LIMITS.viewBlocks,
    (n) => ({ blocks: times(n, () => ({ type: 'divider' })) }),
    '/view/blocks',
  ],
  ['callback_id', LIMITS.callbackId, (n) => ({ callback_id: chars(n) }), '/view/callback_id'],
  ['private_metadata', LIMITS.privateMetadata, (n) => ({ private_metadata: chars(n) }), '/view/private_metadata'],
])('takes %s up to %i and refuses one more', async (_name, limit, make, pointer) => {
  await using fixture = await startFixture();
  const publish = (size: number): Promise<Refusal | null> =>
    attempt(fixture, 'views.publish', { user_id: 'U0ANA00001', view: home(make(size)) });

  expect(await publish(limit)).toBeNull();
  expect(await publish(limit + 1)).toMatchObject({
    error: 'invalid_arguments',
    messages: [expect.stringContaining(`[json-pointer:${pointer}]`)],
  });
});
