import { elementsOf } from '../validation/blocks.ts';
import { isFields } from '../validation/check.ts';
import type { Block } from '../workspace/model.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a person typed or chose: a text or the value of an option, several for checkboxes and multi-selects. */
export type InputValue = string | readonly string[];

/** Values by `block_id/action_id` or action_id. The element of an input block can also be named by block_id or label. */
export type InputValues = Readonly<Record<string, InputValue>>;

/** An element with its current value. */
export interface Filled {
  readonly block: Block;
  readonly element: Fields;
  readonly value: InputValue | null;
}

/** Adds the options that the app has offered for an external select. */
export type Complete = (block: Block, element: Fields) => Fields;

const STATELESS = ['button', 'image', 'overflow'];

export function fill(blocks: readonly Block[], values: InputValues, complete: Complete): Filled[] {
  return blocks.flatMap((block) =>
    elementsOf(block)
      .filter(({ type }) => !STATELESS.includes(String(type)))
      .map((each) => {
        const element = complete(block, each);
        const name = namesOf(block, element).find((known) => Object.hasOwn(values, known));
        const value = name === undefined ? initialValue(element) : (values[name] ?? null);
        return { block, element, value: value === '' ? null : value };
      }),
  );
}

export function keyOf(block: Block, element: Fields): string {
  return `${block.block_id}/${String(element.action_id)}`;
}

function namesOf(block: Block, element: Fields): string[] {
  const label = isFields(block.label) ? block.label.text : undefined;
  const always = [keyOf(block, element), String(element.action_id)];
  return block.type === 'input' ? [...always, block.block_id, String(label)] : always;
}

/** `state.values` of a payload. */
export function stateValues(filled: readonly Filled[]): Record<string, Record<string, Fields>> {
  const state: Record<string, Record<string, Fields>> = {};
  for (const { block, element, value } of filled) {
    state[block.block_id] = {
      ...state[block.block_id],
      [String(element.action_id)]: elementState(element, value),
    };
  }
  return state;
}

/** The state of an element as in `state.values` and in `actions`. */
export function elementState(element: Fields, value: InputValue | null): Fields {
  const type = String(element.type);
  const one = typeof value === 'string' ? value : (value?.[0] ?? null);
  const many = typeof value === 'string' ? [value] : (value ?? []);
  switch (type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return { type, selected_option: one === null ? null : findOption(element, one) };
    case 'checkboxes':
    case 'multi_static_select':
    case 'multi_external_select':
      return { type, selected_options: many.map((each) => findOption(element, each)) };
    case 'users_select':
      return { type, selected_user: one };
    case 'conversations_select':
      return { type, selected_conversation: one };
    case 'channels_select':
      return { type, selected_channel: one };
    case 'multi_users_select':
      return { type, selected_users: many };
    case 'multi_conversations_select':
      return { type, selected_conversations: many };
    case 'multi_channels_select':
      return { type, selected_channels: many };
    case 'datepicker':
      return { type, selected_date: one };
    case 'timepicker':
      return { type, selected_time: one };
    case 'datetimepicker':
      return { type, selected_date_time: one === null ? null : Number(one) };
    default:
      return { type, value: one };
  }
}

function optionsOf(element: Fields): Fields[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups.filter(isFields) : [];
  return [element, ...groups].flatMap(({ options }) => (Array.isArray(options) ? options.filter(isFields) : []));
}

function findOption(element: Fields, value: string): Fields | null {
  const options = optionsOf(element);
  const labelled = (option: Fields): unknown => (isFields(option.text) ? option.text.text : undefined);
  return options.find((each) => each.value === value) ?? options.find((each) => labelled(each) === value) ?? null;
}

const INITIAL_VALUES = [
  'initial_value',
  'initial_date',
  'initial_time',
  'initial_user',
  'initial_conversation',
  'initial_channel',
] as const;

const INITIAL_LISTS = ['initial_users', 'initial_conversations', 'initial_channels'] as const;

function initialValue(element: Fields): InputValue | null {
  if (typeof element.initial_date_time === 'number') {
    return String(element.initial_date_time);
  }
  const single = INITIAL_VALUES.map((name) => element[name]).find((value) => typeof value === 'string');
  if (single !== undefined) {
    return single;
  }
  if (isFields(element.initial_option)) {
    return String(element.initial_option.value);
  }
  const options = element.initial_options;
  if (Array.isArray(options)) {
    return options.filter(isFields).map((each) => String(each.value));
  }
  const many = INITIAL_LISTS.map((name) => element[name]).find((value) => Array.isArray(value));
  return many === undefined ? null : many.map(String);
}
