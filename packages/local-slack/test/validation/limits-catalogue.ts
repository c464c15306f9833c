import { LIMITS } from '../../src/limits.ts';

export type Block = Record<string, unknown>;

/** A row of the table of limits that is a single number. */
type Row = { [name in keyof typeof LIMITS]: (typeof LIMITS)[name] extends number ? name : never }[keyof typeof LIMITS];

/** One limit: a block with a part of variable size, the pointer to that part, and the allowed sizes. */
export interface Limit {
  readonly name: string;
  /** The row of the table with `max`. */
  readonly row: Row;
  readonly min: number;
  readonly max: number;
  readonly at: string;
  readonly make: (size: number) => Block;
  /** There is no minimum: smaller values are empty or missing, or break another rule. */
  readonly hasNoFloor?: boolean;
}

export const chars = (length: number): string => 'x'.repeat(length);
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const plain = (length: number): object => ({ type: 'plain_text', text: chars(length) });
const mrkdwn = (length: number): object => ({ type: 'mrkdwn', text: chars(length) });
const button = (fields: object = {}): object => ({ type: 'button', text: plain(5), ...fields });
const option = (index: number): object => ({ text: plain(3), value: `v${index}` });
const actions = (element: object): Block => ({ type: 'actions', elements: [element] });
const section = (accessory: object): Block => ({ type: 'section', text: mrkdwn(1), accessory });
const input = (element: object, fields: object = {}): Block => ({ type: 'input', label: plain(1), element, ...fields });
const typed = (fields: object): Block => input({ type: 'plain_text_input', ...fields });
const chosen = (fields: object): Block =>
  section({ type: 'static_select', options: [option(0)], placeholder: plain(1), ...fields });
export const image = (fields: object): Block => ({
  type: 'image',
  image_url: 'https://a.example',
  alt_text: 'a',
  ...fields,
});
const confirm = (fields: object): Block =>
  actions(button({ confirm: { title: plain(1), text: plain(1), confirm: plain(1), deny: plain(1), ...fields } }));
const limit = (
  name: string,
  [min, row]: readonly [number, Row],
  at: string,
  make: (size: number) => Block,
  rest: Pick<Limit, 'hasNoFloor'> = {},
): Limit => ({ name, row, min, max: LIMITS[row], at, make, ...rest });

export const BLOCK_LIMITS: readonly Limit[] = [
  limit('section text', [1, 'sectionText'], '/text/text', (n) => ({ type: 'section', text: mrkdwn(n) })),
  limit('section fields', [1, 'sectionFields'], '/fields', (n) => ({
    type: 'section',
    fields: times(n, () => plain(1)),
  })),
  limit('section field', [1, 'sectionField'], '/fields/0/text', (n) => ({ type: 'section', fields: [mrkdwn(n)] })),
  limit('header', [1, 'header'], '/text/text', (n) => ({ type: 'header', text: plain(n) })),
  limit('block_id', [1, 'blockId'], '/block_id', (n) => ({ type: 'divider', block_id: chars(n) })),
  limit('context elements', [1, 'contextElements'], '/elements', (n) => ({
    type: 'context',
    elements: times(n, () => mrkdwn(1)),
  })),
  limit('context text', [1, 'text'], '/elements/0/text', (n) => ({ type: 'context', elements: [mrkdwn(n)] })),
  limit('actions elements', [1, 'actionsElements'], '/elements', (n) => ({
    type: 'actions',
    elements: times(n, () => button()),
  })),
  limit('action_id', [1, 'actionId'], '/elements/0/action_id', (n) => actions(button({ action_id: chars(n) }))),
  limit('button text', [1, 'buttonText'], '/elements/0/text/text', (n) => actions(button({ text: plain(n) }))),
  limit('button value', [1, 'buttonValue'], '/elements/0/value', (n) => actions(button({ value: chars(n) }))),
  limit('button url', [1, 'buttonUrl'], '/elements/0/url', (n) => actions(button({ url: chars(n) }))),
  limit('button label', [1, 'accessibilityLabel'], '/elements/0/accessibility_label', (n) =>
    actions(button({ accessibility_label: chars(n) })),
  ),
  limit('confirm title', [1, 'confirmTitle'], '/elements/0/confirm/title/text', (n) => confirm({ title: plain(n) })),
  limit('confirm text', [1, 'confirmText'], '/elements/0/confirm/text/text', (n) => confirm({ text: mrkdwn(n) })),
  limit('confirm yes', [1, 'confirmButton'], '/elements/0/confirm/confirm/text', (n) => confirm({ confirm: plain(n) })),
  limit('confirm no', [1, 'confirmButton'], '/elements/0/confirm/deny/text', (n) => confirm({ deny: plain(n) })),
  limit('options', [1, 'options'], '/accessory/options', (n) => chosen({ options: times(n, option) })),
  limit('option text', [1, 'optionText'], '/accessory/options/0/text/text', (n) =>
    chosen({ options: [{ text: plain(n), value: 'v' }] }),
  ),
  limit('option value', [1, 'optionValue'], '/accessory/options/0/value', (n) =>
    chosen({ options: [{ text: plain(1), value: chars(n) }] }),
  ),
  limit('option description', [1, 'optionDescription'], '/accessory/options/0/description/text', (n) =>
    chosen({ options: [{ ...option(0), description: plain(n) }] }),
  ),
  limit('option groups', [1, 'optionGroups'], '/accessory/option_groups', (n) =>
    chosen({ options: undefined, option_groups: times(n, (i) => ({ label: plain(1), options: [option(i)] })) }),
  ),
  limit('option group label', [1, 'optionText'], '/accessory/option_groups/0/label/text', (n) =>
    chosen({ options: undefined, option_groups: [{ label: plain(n), options: [option(0)] }] }),
  ),
  limit('placeholder', [1, 'placeholder'], '/accessory/placeholder/text', (n) => chosen({ placeholder: plain(n) })),
  limit('checkboxes', [1, 'checkboxes'], '/accessory/options', (n) =>
    section({ type: 'checkboxes', options: times(n, option) }),
  ),
  limit('radio buttons', [1, 'radioButtons'], '/accessory/options', (n) =>
    section({ type: 'radio_buttons', options: times(n, option) }),
  ),
  limit('overflow', [1, 'overflowOptions'], '/accessory/options', (n) =>
    section({ type: 'overflow', options: times(n, option) }),
  ),
  limit('image alt_text', [1, 'imageAltText'], '/alt_text', (n) => image({ alt_text: chars(n) })),
  limit('image title', [1, 'imageTitle'], '/title/text', (n) => image({ title: plain(n) })),
  limit('image url', [1, 'imageUrl'], '/image_url', (n) => image({ image_url: chars(n) })),
  limit('input label', [1, 'label'], '/label/text', (n) => input({ type: 'datepicker' }, { label: plain(n) })),
  limit('input hint', [1, 'hint'], '/hint/text', (n) => input({ type: 'timepicker' }, { hint: plain(n) })),
  limit('initial value', [0, 'inputText'], '/element/initial_value', (n) => typed({ initial_value: chars(n) }), {
    hasNoFloor: true,
  }),
  limit('min_length', [0, 'inputText'], '/element/min_length', (n) => typed({ min_length: n })),
  limit('max_length', [1, 'inputText'], '/element/max_length', (n) => typed({ max_length: n })),
];

/** Limits of the fields of a modal, which `make` returns. */
export const MODAL_LIMITS: readonly Limit[] = [
  limit('title', [1, 'modalTitle'], '/title/text', (n) => ({ title: plain(n) })),
  limit('submit', [1, 'modalButton'], '/submit/text', (n) => ({ submit: plain(n) })),
  limit('close', [1, 'modalButton'], '/close/text', (n) => ({ close: plain(n) })),
  limit('callback_id', [1, 'callbackId'], '/callback_id', (n) => ({ callback_id: chars(n) })),
  limit('external_id', [1, 'externalId'], '/external_id', (n) => ({ external_id: chars(n) })),
  limit('private_metadata', [1, 'privateMetadata'], '/private_metadata', (n) => ({ private_metadata: chars(n) })),
  limit('blocks', [0, 'viewBlocks'], '/blocks', (n) => ({ blocks: times(n, () => ({ type: 'divider' })) })),
];
