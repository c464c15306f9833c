/** @import { Choice, ChoiceGroup, Directory, SelectOptions } from '../types.ts' */
/** @import { MultiSelect, Select } from '@slack/types' */

/** The choices of a select that the page knows. @param {Select | MultiSelect} element @param {Directory} directory @returns {readonly ChoiceGroup[]} */
export function choicesOf(element, directory) {
  switch (element.type) {
    case 'users_select':
    case 'multi_users_select':
      return [{ label: null, choices: directory.people.map(({ id, realName }) => ({ value: id, label: realName })) }];
    case 'channels_select':
    case 'multi_channels_select':
      return channelChoices(directory, false);
    case 'conversations_select':
    case 'multi_conversations_select':
      return channelChoices(directory, true);
    case 'static_select':
    case 'multi_static_select':
      return groupsOf(element);
    case 'external_select':
    case 'multi_external_select':
      return []; // only the app knows them
  }
}

/** @param {Directory} directory @param {boolean} withDirect @returns {readonly ChoiceGroup[]} */
function channelChoices({ channels }, withDirect) {
  const choices = channels
    .filter(({ isDirect }) => withDirect || !isDirect)
    .map(({ id, name, isDirect }) => ({ value: id, label: isDirect ? name : `#${name}` }));
  return [{ label: null, choices }];
}

/** @param {SelectOptions} select @returns {readonly ChoiceGroup[]} */
export function groupsOf({ options, option_groups: groups }) {
  if (groups !== undefined) {
    return groups.map((group) => ({ label: group.label.text, choices: group.options.map(choiceOf) }));
  }
  return [{ label: null, choices: (options ?? []).map(choiceOf) }];
}

/** @param {{ value?: string, text: { text: string }, description?: { text: string } }} option @returns {Choice} */
export function choiceOf({ value = '', text, description }) {
  return { value, label: text.text, description: description?.text };
}

/** The values that are chosen at the start. @param {Select | MultiSelect} element @returns {string[]} */
export function initialValues(element) {
  switch (element.type) {
    case 'users_select':
      return given(element.initial_user);
    case 'multi_users_select':
      return element.initial_users ?? [];
    case 'channels_select':
      return given(element.initial_channel);
    case 'multi_channels_select':
      return element.initial_channels ?? [];
    case 'conversations_select':
      return given(element.initial_conversation);
    case 'multi_conversations_select':
      return element.initial_conversations ?? [];
    default:
      return initialOptions(element).map(({ value }) => value);
  }
}

/** @param {Select | MultiSelect} element @returns {readonly Choice[]} */
export function initialOptions(element) {
  if ('initial_options' in element) {
    return (element.initial_options ?? []).map(choiceOf);
  }
  return 'initial_option' in element && element.initial_option ? [choiceOf(element.initial_option)] : [];
}

/** @param {string | undefined} value */
function given(value) {
  return value === undefined ? [] : [value];
}
