/**
 * Payloads in the shapes that Slack documents: blocks below https://docs.slack.dev/reference/block-kit/blocks, elements
 * below …/block-elements, composition objects below …/composition-objects.
 */

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: true });
const mrkdwn = (text: string): object => ({ type: 'mrkdwn', text });
const option = (text: string): object => ({ text: plain(text), value: `value-${text}` });
const section = (accessory: object): object => ({ type: 'section', text: mrkdwn('Pick from *these*'), accessory });
const input = (element: object): object => ({ type: 'input', label: plain('A question'), element });
const line = (...elements: object[]): object => ({ type: 'rich_text_section', elements });

/** Valid in messages, modals and Home tabs. */
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
  'a workflow button': section({
    type: 'workflow_button',
    text: plain('Run'),
    workflow: {
      trigger: { url: 'https://slack.com/shortcuts/Ft0/x', customizable_input_parameters: [{ name: 'a', value: 'b' }] },
    },
  }),
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
  'an input of files': input({ type: 'file_input', filetypes: ['jpg', 'png'], max_files: 5 }),
  'an input of rich text': input({
    type: 'rich_text_input',
    initial_value: { type: 'rich_text', elements: [line({ type: 'text', text: 'Start here' })] },
  }),
  'rich text of every part': {
    type: 'rich_text',
    elements: [
      line(
        { type: 'text', text: 'Hi ', style: { bold: true, italic: true } },
        { type: 'user', user_id: 'U123ABC456' },
        { type: 'usergroup', usergroup_id: 'S123' },
        { type: 'team', team_id: 'T123ABC456' },
        { type: 'channel', channel_id: 'C123ABC456', style: { highlight: true } },
        { type: 'emoji', name: 'basketball', unicode: '1f3c0' },
        { type: 'link', url: 'https://slack.com', text: 'Slack', style: { code: true } },
        { type: 'broadcast', range: 'everyone' },
        { type: 'color', value: '#F405B3' },
        { type: 'date', timestamp: 1_720_710_212, format: '{date_num} at {time}', fallback: 'timey' },
      ),
      {
        type: 'rich_text_list',
        style: 'ordered',
        indent: 1,
        border: 0,
        elements: [line({ type: 'text', text: 'one' })],
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'What we need' }] },
      { type: 'rich_text_preformatted', border: 0, elements: [{ type: 'text', text: '{ "a": 1 }' }] },
    ],
  },
  'a video': {
    type: 'video',
    title: { type: 'plain_text', text: 'How to', emoji: true },
    title_url: 'https://video.example/watch',
    description: plain('Slack in a minute'),
    video_url: 'https://video.example/embed',
    alt_text: 'How to',
    thumbnail_url: 'https://video.example/thumb.jpg',
    author_name: 'Arcado Buendia',
    provider_name: 'Video',
    provider_icon_url: 'https://video.example/icon.png',
  },
  'an alert': { type: 'alert', level: 'warning', text: mrkdwn('*Careful*') },
};

/** Valid in messages only. */
export const MESSAGE_BLOCKS: Readonly<Record<string, object>> = {
  markdown: { type: 'markdown', text: '**Lots** of information here!!' },
  'a table': {
    type: 'table',
    column_settings: [{ is_wrapped: true }, { align: 'right' }],
    rows: [
      [
        { type: 'raw_text', text: 'Header A' },
        { type: 'raw_text', text: 'Header B' },
      ],
      [
        { type: 'raw_number', value: 7, text: '7' },
        { type: 'rich_text', elements: [line({ type: 'text', text: 'b' })] },
      ],
    ],
  },
  'a data table': {
    type: 'data_table',
    caption: 'Deals',
    page_size: 10,
    rows: [[{ type: 'raw_text', text: 'Deal' }], [{ type: 'raw_text', text: 'Acme' }]],
  },
  'a carousel of cards': {
    type: 'carousel',
    elements: [
      {
        type: 'card',
        hero_image: { type: 'image', image_url: 'https://a.example/h.png', alt_text: 'hero' },
        title: mrkdwn('*Card*'),
        subtitle: mrkdwn('of many'),
        body: mrkdwn('what it says'),
        actions: [{ type: 'button', text: plain('Open'), action_id: 'open' }],
      },
    ],
  },
  'a plan with a task': {
    type: 'plan',
    title: 'Thinking completed',
    tasks: [
      {
        type: 'task_card',
        task_id: 'call_001',
        title: 'Fetched the user',
        status: 'in_progress',
        details: { type: 'rich_text', elements: [line({ type: 'text', text: 'Searched' })] },
        sources: [{ type: 'url', url: 'https://a.example', text: 'a source' }],
      },
    ],
  },
  'a plan whose tasks do not say what they are': {
    type: 'plan',
    title: 'Thinking',
    tasks: [{ task_id: 'call_002', title: 'Checks permissions', status: 'pending' }],
  },
  'a task alone': {
    type: 'task_card',
    task_id: 'task_1',
    title: 'Fetching the weather',
    status: 'pending',
    output: { type: 'rich_text', block_id: 'o', elements: [line({ type: 'text', text: 'Found it' })] },
    sources: [{ type: 'url', url: 'https://weather.example/', text: 'weather.example' }],
  },
  'a pie': {
    type: 'data_visualization',
    title: 'Errors by service',
    chart: {
      type: 'pie',
      segments: [
        { label: 'payments', value: 45 },
        { label: 'cart', value: 9.5 },
      ],
    },
  },
  'a chart of two lines': {
    type: 'data_visualization',
    title: 'Errors a day',
    chart: {
      type: 'line',
      series: [
        {
          name: 'payments',
          data: [
            { label: 'Mon', value: 32 },
            { label: 'Tue', value: 35 },
          ],
        },
        {
          name: 'cart',
          data: [
            { label: 'Mon', value: 2 },
            { label: 'Tue', value: 0 },
          ],
        },
      ],
      axis_config: { categories: ['Mon', 'Tue'], x_label: 'Day', y_label: 'Errors' },
    },
  },
  'feedback on an answer': {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        positive_button: { text: plain('Good'), value: 'up', accessibility_label: 'Good answer' },
        negative_button: { text: plain('Bad'), value: 'down' },
      },
      { type: 'icon_button', icon: 'trash', text: plain('Delete'), action_id: 'delete', visible_to_user_ids: ['U1'] },
    ],
  },
  'a container that folds': {
    type: 'container',
    title: plain('Details'),
    subtitle: plain('of two records'),
    is_collapsible: true,
    child_blocks: [
      { type: 'section', block_id: 'row-1', text: mrkdwn('*DCW-1024*') },
      { type: 'divider', block_id: 'between' },
      { type: 'context', elements: [mrkdwn('2 records')] },
      { type: 'actions', elements: [{ type: 'button', text: plain('Confirm'), style: 'primary', action_id: 'yes' }] },
    ],
  },
};
