import { expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { LIMITS } from '../src/limits.ts';
import { ALL_SCOPES, client, connect, type Fixture, startFixture } from './fixture.ts';
import { cell, chars, MODAL_LIMITS, plain, times } from './validation/limits-catalogue.ts';
import { LIMITS_OF_MESSAGES } from './validation/limits-catalogue-tables.ts';

const mrkdwn = (length: number): object => ({ type: 'mrkdwn', text: chars(length) });
const button = (fields: object = {}): object => ({ type: 'button', text: plain(5), ...fields });
const actions = (...elements: object[]): object => ({ type: 'actions', elements });

interface Refusal {
  readonly error: string;
  readonly messages: readonly string[];
}

/** Null when the call succeeded. */
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
  attempt(fixture, 'chat.postMessage', { channel: 'C0PLAYGRND', text: 'fallback', blocks });

it.each(LIMITS_OF_MESSAGES)('accepts $name up to $max and refuses more, with a pointer', async (limit) => {
  await using fixture = await startFixture();

  expect(await post(fixture, [limit.make(limit.max)])).toBeNull();
  expect(await post(fixture, [limit.make(limit.max + 1)])).toMatchObject({
    error: 'invalid_blocks',
    messages: expect.arrayContaining([expect.stringContaining(`[json-pointer:/blocks/0${limit.at}]`)]),
  });
});

it('limits the blocks of a message', async () => {
  await using fixture = await startFixture();
  const dividers = (count: number): object[] => times(count, () => ({ type: 'divider' }));

  expect(await post(fixture, dividers(LIMITS.messageBlocks))).toBeNull();
  expect(await post(fixture, dividers(LIMITS.messageBlocks + 1))).toMatchObject({ error: 'invalid_blocks' });
});

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

it('limits the total text of blocks, the tables and the charts of a message', async () => {
  await using fixture = await startFixture();
  const sections = (total: number): object[] =>
    times(Math.ceil(total / 3_000), (index) => ({
      type: 'section',
      text: mrkdwn(Math.min(3_000, total - index * 3_000)),
    }));
  const table = { type: 'table', rows: [[cell()]] };
  const chart = (): object => ({
    type: 'data_visualization',
    title: 'c',
    chart: { type: 'pie', segments: [{ label: 'a', value: 1 }] },
  });

  expect(await post(fixture, sections(LIMITS.messageBlockText))).toBeNull();
  expect(await post(fixture, sections(LIMITS.messageBlockText + 1))).toMatchObject({ error: 'msg_blocks_too_long' });
  expect(await post(fixture, [table, table])).toMatchObject({ error: 'invalid_blocks' });
  expect(await post(fixture, times(LIMITS.chartsPerMessage, chart))).toBeNull();
  expect(await post(fixture, times(LIMITS.chartsPerMessage + 1, chart))).toMatchObject({ error: 'invalid_blocks' });
});

it('truncates the text of a message at 40,000 characters', async () => {
  await using fixture = await startFixture();

  await attempt(fixture, 'chat.postMessage', { channel: 'C0PLAYGRND', text: chars(LIMITS.messageText + 5) });

  expect(fixture.slack.messages('playground').map(({ text }) => text.length)).toEqual([LIMITS.messageText]);
});

const HOME_LIMITS = MODAL_LIMITS.filter(({ name }) => !['title', 'submit', 'close'].includes(name));

it.each(HOME_LIMITS)('accepts the $name of a Home tab up to $max and refuses more', async ({ make, max, at }) => {
  await using fixture = await startFixture();
  const publish = (size: number): Promise<Refusal | null> =>
    attempt(fixture, 'views.publish', { user_id: 'U0ANA00001', view: { type: 'home', blocks: [], ...make(size) } });

  expect(await publish(max)).toBeNull();
  expect(await publish(max + 1)).toMatchObject({
    error: 'invalid_arguments',
    messages: [expect.stringContaining(`[json-pointer:/view${at}]`)],
  });
});

it('limits the size of a view', async () => {
  await using fixture = await startFixture();
  const blocks = times(81, () => ({ type: 'section', text: mrkdwn(LIMITS.sectionText) }));
  const view = (metadata: number): object => ({ type: 'home', blocks, private_metadata: chars(metadata) });
  const publish = async (bytes: number): Promise<Refusal | null> => {
    const rest = bytes - JSON.stringify(view(0)).length;
    return await attempt(fixture, 'views.publish', { user_id: 'U0ANA00001', view: view(rest) });
  };

  expect(await publish(LIMITS.viewBytes)).toBeNull();
  expect(await publish(LIMITS.viewBytes + 1)).toMatchObject({ error: 'view_too_large' });
});

it('limits the pins of a channel and the emoji of a message', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  const ana = slack.as('ana');
  for (let count = 0; count <= LIMITS.pins; count += 1) {
    await ana.message('playground', `message ${count}`);
  }
  const [first, ...others] = slack.messages('playground');
  if (first === undefined) {
    throw new Error('nobody wrote');
  }
  const emoji = times(LIMITS.emojiPerMessage + 1, (index) => `emoji-${index}`);
  const [last = '', ...most] = emoji.toReversed();

  for (const message of others) {
    ana.pin(message);
  }
  for (const [index, name] of most.entries()) {
    slack.as(['ana', 'ben', 'chloe'][index % 3] ?? '').react(first, name);
  }

  expect(() => ana.pin(first)).toThrow('too_many_pins');
  expect(() => slack.as('ben').react(first, last)).toThrow('too_many_emoji');
});

it('limits the bookmarks of a channel', async () => {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const clock = createRealClock(() => new Date(nowMs));
  await using fixture = await startFixture({ scopes: ALL_SCOPES, clock });
  const add = async (): Promise<Refusal | null> => {
    nowMs += 60_000; // so that no rate limit comes first
    const bookmark = { type: 'link', title: 'Runbook', link: 'https://example.com' };
    return await attempt(fixture, 'bookmarks.add', { channel_id: 'C0PLAYGRND', ...bookmark });
  };

  for (let count = 0; count < LIMITS.bookmarks; count += 1) {
    expect(await add()).toBeNull();
  }
  expect(await add()).toMatchObject({ error: 'too_many_bookmarks' });
});

it('limits the unfurl domains of a manifest', async () => {
  const manifest = (count: number): string => `
display_information: { name: Linker }
features: { unfurl_domains: [${times(count, (index) => `${index}.example`).join(', ')}] }
settings: { socket_mode_enabled: true }
`;

  await using _started = await startFixture({ manifest: manifest(LIMITS.unfurlDomains) });
  await expect(startFixture({ manifest: manifest(LIMITS.unfurlDomains + 1) })).rejects.toThrow('unfurl_domains');
});

it('limits the stack of modals', async () => {
  await using fixture = await startFixture();
  await using app = await connect(fixture.slack);
  const view = { type: 'modal', title: plain(1), blocks: [actions(button({ action_id: 'go' }))] };
  await fixture.slack.as('ana').command('playground', '/hello');
  const { payload } = await app.hears(({ type }) => type === 'slash_commands');
  expect(await attempt(fixture, 'views.open', { trigger_id: payload.trigger_id, view })).toBeNull();
  const push = async (): Promise<Refusal | null> => {
    const shown = fixture.slack.openViews('ana').at(-1);
    if (shown === undefined) {
      throw new Error('no modal is open');
    }
    await fixture.slack.as('ana').click(shown, 'go');
    const trigger_id = app.received.at(-1)?.payload.trigger_id;
    return await attempt(fixture, 'views.push', { trigger_id, view });
  };

  for (let open = 1; open < LIMITS.modalStack; open += 1) {
    expect(await push()).toBeNull();
  }
  expect(await push()).toMatchObject({ error: 'push_limit_reached' });
});

/** Rows that do not bound a block or field, by the file that tests them. */
const OTHER_ROWS: readonly (keyof typeof LIMITS)[] = [
  // this file
  ...(['messageText', 'messageBlocks', 'messageBlockText', 'tablesPerMessage', 'chartsPerMessage'] as const),
  ...(['viewBytes', 'modalStack', 'pins', 'emojiPerMessage', 'bookmarks', 'unfurlDomains'] as const),
  // src/manifest.test.ts
  ...(['appName', 'appDescription', 'appLongDescription', 'appLongDescriptionMin', 'botName'] as const),
  ...(['shortcuts', 'shortcutName', 'shortcutDescription', 'unfurlDomain', 'scopes', 'scope'] as const),
  ...(['slashCommands', 'commandName', 'commandDescription', 'commandUrl', 'usageHint'] as const),
  ...(['botEvents', 'eventName'] as const),
  // items.test.ts
  'reactionsPerPerson',
  // methods.test.ts, direct-messages.test.ts
  ...(['updateText', 'attachments', 'channelName', 'channelTopic', 'groupMessageUsers'] as const),
  ...(['channelListPage', 'historyPage', 'listPage'] as const),
  // files.test.ts
  ...(['fileAltText', 'fileChannels', 'fileBytes', 'filesBytes'] as const),
  // scheduled.test.ts
  ...(['scheduleAheadSeconds', 'scheduleWindowSeconds', 'scheduledPerWindow', 'scheduleDeleteSeconds'] as const),
  // api.test.ts, tiers.test.ts
  ...(['postBurst', 'postsPerSecond', 'callsPerMinute'] as const),
  // delivery.test.ts, socket-life.test.ts, state.test.ts
  ...(['ackMs', 'triggerMs', 'responseUrlUses', 'responseUrlMs', 'minQueryLength'] as const),
  ...(['socketConnections', 'socketTicketMs', 'socketLifeMs', 'socketDebugLifeMs', 'socketWarningMs'] as const),
];

it('tests every row of the table', () => {
  const tried = [...LIMITS_OF_MESSAGES, ...MODAL_LIMITS].map(({ row }) => row);

  expect(Object.keys(LIMITS).toSorted()).toEqual([...new Set([...tried, ...OTHER_ROWS])].toSorted());
});

it('accepts an option value of 150 characters', async () => {
  await using fixture = await startFixture();
  const select = (length: number): object => ({
    type: 'actions',
    elements: [{ type: 'static_select', action_id: 'a', options: [{ text: plain(1), value: chars(length) }] }],
  });
  const post = (length: number): Promise<unknown> =>
    attempt(fixture, 'chat.postMessage', { channel: 'C0PLAYGRND', text: 'a', blocks: [select(length)] });

  expect(await post(150)).toBeNull();
  expect(await post(151)).toMatchObject({ error: 'invalid_blocks' });
});
