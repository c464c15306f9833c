import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../limits.ts';
import { boolean, type Check, every, integer, isFields, list, matching, object, oneOf, string } from './check.ts';
import {
  confirm,
  conversationFilter,
  dispatchActionConfig,
  optionGroup,
  overflowOption,
  placeholder,
  plainOption,
  plainText,
  richOption,
  slackFile,
} from './composition.ts';

const type = string({ max: 40 });
const actionId = string({ max: LIMITS.actionId });
const actionable = { action_id: actionId };
const confirmable = { ...actionable, confirm };
const selectable = { ...confirmable, placeholder, focus_on_load: boolean };
const multiSelectable = { ...selectable, max_selected_items: integer({ min: 1 }) };
const typed = { ...actionable, placeholder, focus_on_load: boolean, dispatch_action_config: dispatchActionConfig };
const ids = list(string({ max: 255 }), { max: LIMITS.options });
const date: Check = (value, pointer, report) => {
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(`${value}T00:00:00Z`) : null;
  // A day that does not exist is either invalid or taken for another one.
  if (at === null || Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== value) {
    report({ pointer, message: 'must be a date in the format YYYY-MM-DD' });
  }
};
const time = matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time in the format HH:mm');

const buttonFields = {
  ...confirmable,
  url: string({ max: LIMITS.buttonUrl }),
  value: string({ max: LIMITS.buttonValue }),
  style: oneOf('primary', 'danger'),
  accessibility_label: string({ max: LIMITS.accessibilityLabel }),
};

const staticOptions = {
  options: list(plainOption, { max: LIMITS.options }),
  option_groups: list(optionGroup, { max: LIMITS.optionGroups }),
};

/** A select needs exactly one of `options` and `option_groups`. */
const oneOptionSource: Check = (value, pointer, report) => {
  if (isFields(value) && (value.options === undefined) === (value.option_groups === undefined)) {
    report({ pointer, message: 'must provide either options or option_groups' });
  }
};

/** An option that is chosen at first must be one of the options. */
const initialAmongOptions: Check = (value, pointer, report) => {
  if (!isFields(value)) {
    return;
  }
  const groups = Array.isArray(value.option_groups) ? value.option_groups : [value];
  const options = groups.flatMap((group: unknown) =>
    isFields(group) && Array.isArray(group.options) ? group.options : [],
  );
  const chosen = {
    initial_option: [value.initial_option ?? []].flat(),
    initial_options: [value.initial_options ?? []].flat(),
  };
  for (const [field, initial] of Object.entries(chosen)) {
    if (initial.some((each) => !options.some((option) => isDeepStrictEqual(option, each)))) {
      report({ pointer: `${pointer}/${field}`, message: 'must be one of the options' });
    }
  }
};

const imageUrl = string({ max: LIMITS.imageUrl });

/** An `image` element in a context block or as an accessory. */
export const imageElement = every(
  object({ type, alt_text: string({ max: LIMITS.imageAltText }) }, { image_url: imageUrl, slack_file: slackFile }),
  needsImageSource,
);

export function needsImageSource(...[value, pointer, report]: Parameters<Check>): void {
  if (isFields(value) && value.image_url === undefined && value.slack_file === undefined) {
    report({ pointer, message: 'missing required field: image_url' });
  }
}

const button = object({ type, text: plainText(LIMITS.buttonText) }, buttonFields);
const checkboxes = every(
  object(
    { type, options: list(richOption, { max: LIMITS.checkboxes }) },
    { ...confirmable, focus_on_load: boolean, initial_options: list(richOption, { max: LIMITS.checkboxes }) },
  ),
  initialAmongOptions,
);
const radioButtons = every(
  object(
    { type, options: list(richOption, { max: LIMITS.radioButtons }) },
    { ...confirmable, focus_on_load: boolean, initial_option: richOption },
  ),
  initialAmongOptions,
);
const overflow = object({ type, options: list(overflowOption, { max: LIMITS.overflowOptions }) }, confirmable);
const conversations = {
  default_to_current_conversation: boolean,
  filter: conversationFilter,
  response_url_enabled: boolean,
};

const selects = {
  static_select: every(
    object({ type }, { ...selectable, ...staticOptions, initial_option: plainOption }),
    oneOptionSource,
    initialAmongOptions,
  ),
  external_select: object(
    { type },
    { ...selectable, min_query_length: integer({ min: 0 }), initial_option: plainOption },
  ),
  users_select: object({ type }, { ...selectable, initial_user: string({ max: 255 }) }),
  conversations_select: object(
    { type },
    { ...selectable, ...conversations, initial_conversation: string({ max: 255 }) },
  ),
  channels_select: object(
    { type },
    { ...selectable, response_url_enabled: boolean, initial_channel: string({ max: 255 }) },
  ),
};

const multiSelects = {
  multi_static_select: every(
    object(
      { type },
      { ...multiSelectable, ...staticOptions, initial_options: list(plainOption, { max: LIMITS.options }) },
    ),
    oneOptionSource,
    initialAmongOptions,
  ),
  multi_external_select: object(
    { type },
    {
      ...multiSelectable,
      min_query_length: integer({ min: 0 }),
      initial_options: list(plainOption, { max: LIMITS.options }),
    },
  ),
  multi_users_select: object({ type }, { ...multiSelectable, initial_users: ids }),
  multi_conversations_select: object({ type }, { ...multiSelectable, ...conversations, initial_conversations: ids }),
  multi_channels_select: object({ type }, { ...multiSelectable, initial_channels: ids }),
};

const pickers = {
  datepicker: object({ type }, { ...selectable, initial_date: date }),
  timepicker: object({ type }, { ...selectable, initial_time: time, timezone: string({ max: 255 }) }),
  datetimepicker: object({ type }, { ...confirmable, focus_on_load: boolean, initial_date_time: integer({ min: 0 }) }),
};

const inputs = {
  plain_text_input: object(
    { type },
    {
      ...typed,
      initial_value: string({ min: 0, max: LIMITS.inputText }),
      multiline: boolean,
      min_length: integer({ min: 0, max: LIMITS.inputText }),
      max_length: integer({ min: 1, max: LIMITS.inputText }),
    },
  ),
  email_text_input: object({ type }, { ...typed, initial_value: string({ min: 0, max: LIMITS.inputText }) }),
  url_text_input: object({ type }, { ...typed, initial_value: string({ min: 0, max: LIMITS.inputText }) }),
  number_input: object(
    { type, is_decimal_allowed: boolean },
    {
      ...typed,
      initial_value: string({ max: 40 }),
      min_value: string({ max: 40 }),
      max_value: string({ max: 40 }),
    },
  ),
};

/** The elements that each kind of block allows. */
export const ACTION_ELEMENTS: Readonly<Record<string, Check>> = {
  button,
  checkboxes,
  radio_buttons: radioButtons,
  overflow,
  ...selects,
  ...multiSelects,
  ...pickers,
};

export const ACCESSORY_ELEMENTS: Readonly<Record<string, Check>> = {
  button,
  checkboxes,
  radio_buttons: radioButtons,
  overflow,
  image: imageElement,
  ...selects,
  ...multiSelects,
  ...pickers,
};

export const INPUT_ELEMENTS: Readonly<Record<string, Check>> = {
  checkboxes,
  radio_buttons: radioButtons,
  ...selects,
  ...multiSelects,
  ...pickers,
  ...inputs,
};
