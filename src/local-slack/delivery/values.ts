import type { Block, View } from '../model.ts';
import { isFields } from '../validation/check.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a person typed or chose: the text or the value of the option; several for checkboxes and multi-selects. */
export type InputValue = string | readonly string[];

/** What a person filled in, by block_id, action_id or label. */
export type InputValues = Readonly<Record<string, InputValue>>;

/** One input of a view with what stands in it. */
interface Filled {
  readonly block: Block;
  readonly element: Fields;
  readonly value: InputValue | null;
}

export function fill(view: View, values: InputValues): Filled[] {
  return view.content.blocks.flatMap((block) => {
    const element = block.element;
    if (block.type !== 'input' || !isFields(element)) {
      return [];
    }
    const label = isFields(block.label) ? block.label.text : undefined;
    const names = [block.block_id, String(element.action_id), String(label)];
    const name = names.find((each) => Object.hasOwn(values, each));
    const value = name === undefined ? initialValue(element) : (values[name] ?? null);
    return [{ block, element, value: value === '' ? null : value }];
  });
}

/** `view.state.values`: what the app reads. */
export function stateValues(filled: readonly Filled[]): Record<string, Record<string, unknown>> {
  const state: Record<string, Record<string, unknown>> = {};
  for (const { block, element, value } of filled) {
    state[block.block_id] = { [String(element.action_id)]: elementState(element, value) };
  }
  return state;
}

/** What Slack tells a person before it sends anything, by block_id. */
export function inputErrors(filled: readonly Filled[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element, value } of filled) {
    const message = inputError(block, element, value);
    if (message !== null) {
      errors[block.block_id] = message;
    }
  }
  return errors;
}

function inputError(block: Block, element: Fields, value: InputValue | null): string | null {
  const isEmpty = value === null || value.length === 0 || (typeof value === 'string' && value.trim() === '');
  if (isEmpty) {
    return block.optional === true ? null : 'Please complete this required field.';
  }
  const { min_length: min, max_length: max } = element;
  if (typeof min === 'number' && value.length < min) {
    return `Please use at least ${min} characters.`;
  }
  if (typeof max === 'number' && value.length > max) {
    return `Please use at most ${max} characters.`;
  }
  return null;
}

/** What an element says of its state, both in `view.state.values` and, with its ids, in an action. */
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

function initialValue(element: Fields): InputValue | null {
  for (const name of INITIAL_VALUES) {
    const value = element[name];
    if (typeof value === 'string') {
      return value;
    }
  }
  const option = element.initial_option;
  if (isFields(option)) {
    return String(option.value);
  }
  const options = element.initial_options;
  return Array.isArray(options) ? options.filter(isFields).map((each) => String(each.value)) : null;
}
