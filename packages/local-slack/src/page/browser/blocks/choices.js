/** @import { Choice, Directory, SelectOptions } from '../types.ts' */
/** @import { MultiSelect, Select } from '@slack/types' */

/** What a select offers that the page knows. An external select asks the app. @param {Select | MultiSelect} element @param {Directory} directory @returns {readonly Choice[]} */
export function choicesOf(element, { people, channels }) {
  switch (element.type) {
    case 'users_select':
    case 'multi_users_select':
      return people.map(({ id, realName }) => ({ value: id, label: realName }));
    case 'channels_select':
    case 'multi_channels_select':
    case 'conversations_select':
    case 'multi_conversations_select':
      return channels
        .filter(({ isDirect }) => !isDirect || element.type.includes('conversations'))
        .map(({ id, name, isDirect }) => ({ value: id, label: isDirect ? name : `#${name}` }));
    case 'static_select':
    case 'multi_static_select':
      return offeredIn(element);
    case 'external_select':
    case 'multi_external_select':
      return [];
  }
}

/** @param {SelectOptions} select @returns {readonly Choice[]} */
export function offeredIn({ options = [], option_groups: groups = [] }) {
  return [...options, ...groups.flatMap((group) => group.options)].map(choiceOf);
}

/** @param {{ value?: string, text: { text: string }, description?: { text: string } }} option @returns {Choice} */
function choiceOf({ value = '', text, description }) {
  return { value, label: text.text, description: description?.text };
}

/** What is chosen from the start. @param {Select | MultiSelect} element @param {readonly Choice[]} known @returns {readonly Choice[]} */
export function chosenAtFirst(element, known) {
  /** @type {Record<string, unknown>} */
  const fields = { ...element };
  const options = [fields.initial_option ?? fields.initial_options ?? []].flat();
  const ids = ['user', 'channel', 'conversation']
    .flatMap((name) => [fields[`initial_${name}`] ?? fields[`initial_${name}s`] ?? []].flat())
    .filter((id) => typeof id === 'string');
  return [
    ...options.map((option) => choiceOf(/** @type {Parameters<typeof choiceOf>[0]} */ (option))),
    ...ids.map((id) => known.find(({ value }) => value === id) ?? { value: id, label: id }),
  ];
}
