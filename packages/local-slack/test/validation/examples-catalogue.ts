/**
 * Payloads in the shapes that Slack documents: blocks below https://docs.slack.dev/reference/block-kit/blocks, elements
 * below …/block-elements, composition objects below …/composition-objects.
 */

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: true });
const mrkdwn = (text: string): object => ({ type: 'mrkdwn', text });
const option = (text: string): object => ({ text: plain(text), value: `value-${text}` });
const section = (accessory: object): object => ({ type: 'section', text: mrkdwn('Pick from *these*'), accessory });
const input = (element: object): object => ({ type: 'input', label: plain('A question'), element });

export const BLOCKS: Readonly<Record<string, object>> = {
  'a section of two columns': { type: 'section', fields: [mrkdwn('*Priority*'), plain('High')], expand: true },
  'a section with a picture': section({ type: 'image', image_url: 'https://a.example/cat.png', alt_text: 'a cat' }),
  'a section with a slack file': section({ type: 'image', slack_file: { id: 'F0123456' }, alt_text: 'a chart' }),
  'a button that asks back': section({
    type: 'button',
    text: plain('Deploy'),
    style: 'danger',
    value: 'v1',
    action_id: 'deploy',
    confirm: { title: plain('Sure?'), text: mrkdwn('This *deploys*.'), confirm: plain('Yes'), deny: plain('No') },
  }),
  'a static select': section({
    type: 'static_select',
    placeholder: plain('Pick'),
    options: [option('a'), option('b')],
  }),
  'a select in groups': section({
    type: 'static_select',
    option_groups: [{ label: plain('Group'), options: [option('a')] }],
  }),
  'a multi-select': section({
    type: 'multi_static_select',
    options: [option('a'), option('b')],
    initial_options: [option('b')],
    max_selected_items: 1,
  }),
  'a select with data of the app': section({ type: 'external_select', min_query_length: 3, action_id: 'q' }),
  'a select of people': section({ type: 'users_select', initial_user: 'U012A3BCD' }),
  'a select of conversations': section({
    type: 'multi_conversations_select',
    filter: { include: ['public', 'mpim'], exclude_bot_users: true },
  }),
  'an overflow menu with a link': section({
    type: 'overflow',
    options: [{ text: plain('Docs'), value: 'docs', url: 'https://a.example' }],
  }),
  'checkboxes with mrkdwn': section({
    type: 'checkboxes',
    options: [{ text: mrkdwn('*bold*'), description: mrkdwn('_why_'), value: 'a' }],
  }),
  'pickers of date and time': {
    type: 'actions',
    elements: [
      { type: 'datepicker', initial_date: '1990-04-28', placeholder: plain('Select a date') },
      { type: 'timepicker', initial_time: '11:40', timezone: 'America/Los_Angeles' },
      { type: 'datetimepicker', initial_date_time: 1_628_633_820 },
    ],
  },
  'a context with picture and text': {
    type: 'context',
    elements: [
      { type: 'image', image_url: 'https://a.example/pin.png', alt_text: 'pin' },
      mrkdwn('Location: *Dogpatch*'),
    ],
  },
  'an image': {
    type: 'image',
    title: plain('Cute'),
    image_url: 'https://a.example/k.jpg',
    alt_text: 'a kitten',
    block_id: 'i',
  },
  'an input that dispatches': {
    ...input({ type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: ['on_character_entered'] } }),
    dispatch_action: true,
    optional: true,
    hint: plain('As you like'),
  },
  'an input of a number': input({ type: 'number_input', is_decimal_allowed: false, min_value: '1', max_value: '9' }),
  'an input of an address': input({ type: 'email_text_input', placeholder: plain('you@example.com') }),
  'an input of a link': input({ type: 'url_text_input' }),
};
