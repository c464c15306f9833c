import { expect, it } from 'vitest';
import { type Check, violationsOf } from './check.ts';
import { INPUT_ELEMENTS } from './elements.ts';

const NOTHING: Check = () => undefined;
const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
const options = [option('a'), option('b')];
const pointersOf = (element: { readonly type: string }) =>
  violationsOf(INPUT_ELEMENTS[element.type] ?? NOTHING, element, '').map(({ pointer }) => pointer);

it.each([
  ['static_select', { options, initial_option: option('b') }],
  ['static_select', { option_groups: [{ label: option('a').text, options }], initial_option: option('b') }],
  ['multi_static_select', { options, initial_options: options }],
  ['radio_buttons', { options, initial_option: option('a') }],
  ['checkboxes', { options, initial_options: [option('a')] }],
  ['external_select', { initial_option: option('c') }],
  ['datepicker', { initial_date: '2028-02-29' }],
])('takes a %s that starts with what it offers: %j', (type, fields) => {
  expect(pointersOf({ type, ...fields })).toEqual([]);
});

it.each([
  ['static_select', 'initial_option', { options, initial_option: option('c') }],
  ['static_select', 'initial_option', { options, initial_option: { ...option('b'), text: option('c').text } }],
  ['multi_static_select', 'initial_options', { options, initial_options: [option('a'), option('c')] }],
  ['radio_buttons', 'initial_option', { options, initial_option: option('c') }],
  ['checkboxes', 'initial_options', { options, initial_options: [option('c')] }],
  ['datepicker', 'initial_date', { initial_date: '2026-13-01' }],
  ['datepicker', 'initial_date', { initial_date: '2026-02-29' }],
])('refuses a %s whose %s is none', (type, field, fields) => {
  expect(pointersOf({ type, ...fields })).toEqual([`/${field}`]);
});
