import { expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { LIMITS } from '../src/limits.ts';
import { ALL_SCOPES, client, connect, type Fixture, startFixture } from './fixture.ts';
import { BLOCK_LIMITS, chars, MODAL_LIMITS, plain, times } from './validation/limits-catalogue.ts';

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

it('limits the metadata of a message', async () => {
  await using fixture = await startFixture();
  const described = (length: number) => {
    const rest = JSON.stringify({ event_type: 'test', event_payload: { note: '' } }).length;
    const metadata = { event_type: 'test', event_payload: { note: chars(length - rest) } };
    return { channel: 'C0PLAYGRND', text: 'fallback', metadata };
  };

  expect(await attempt(fixture, 'chat.postMessage', described(LIMITS.metadata))).toBeNull();
  expect(await attempt(fixture, 'chat.postMessage', described(LIMITS.metadata + 1))).toMatchObject({
    error: 'metadata_too_large',
  });
});

it('limits the total text of the blocks of a message', async () => {
  await using fixture = await startFixture();
  const sections = (total: number): object[] =>
    times(Math.ceil(total / 3_000), (index) => ({
      type: 'section',
      text: mrkdwn(Math.min(3_000, total - index * 3_000)),
    }));

  expect(await post(fixture, sections(LIMITS.messageBlockText))).toBeNull();
  expect(await post(fixture, sections(LIMITS.messageBlockText + 1))).toMatchObject({ error: 'msg_blocks_too_long' });
});

it('truncates the text of a message at 40,000 characters', async () => {
  await using fixture = await startFixture();

  await attempt(fixture, 'chat.postMessage', { channel: 'C0PLAYGRND', text: chars(LIMITS.messageText + 5) });

  expect(fixture.slack.messages('playground').map(({ text }) => text.length)).toEqual([LIMITS.messageText]);
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

it('limits the pins of a channel', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  const ana = slack.as('ana');
  for (let count = 0; count <= LIMITS.pins; count += 1) {
    await ana.message('playground', `message ${count}`);
  }
  const [first, ...others] = slack.messages('playground');
  expect.assert(first);
  for (const message of others) {
    ana.pin(message);
  }

  expect(() => ana.pin(first)).toThrow('too_many_pins');
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
  ...(['messageText', 'messageBlocks', 'messageBlockText'] as const),
  ...(['viewBytes', 'modalStack', 'pins', 'bookmarks', 'unfurlDomains'] as const),
  // src/manifest.test.ts
  ...(['appName', 'appDescription', 'appLongDescription', 'appLongDescriptionMin', 'botName'] as const),
  ...(['shortcuts', 'shortcutName', 'shortcutDescription', 'unfurlDomain', 'scopes', 'scope'] as const),
  ...(['slashCommands', 'commandName', 'commandDescription', 'commandUrl', 'usageHint'] as const),
  ...(['botEvents', 'eventName'] as const),
  // methods.test.ts, direct-messages.test.ts
  ...(['updateText', 'attachments', 'channelName', 'channelTopic', 'groupMessageUsers'] as const),
  ...(['channelListPage', 'historyPage', 'listPage'] as const),
  // files.test.ts
  ...(['fileAltText', 'fileChannels', 'fileBytes', 'filesBytes'] as const),
  'metadata', // above
  // api.test.ts, tiers.test.ts
  ...(['postBurst', 'postsPerSecond', 'callsPerMinute'] as const),
  // delivery.test.ts, socket-life.test.ts, state.test.ts
  ...(['ackMs', 'triggerMs', 'responseUrlUses', 'responseUrlMs', 'minQueryLength'] as const),
  ...(['socketConnections', 'socketTicketMs', 'socketLifeMs', 'socketDebugLifeMs', 'socketWarningMs'] as const),
];

it('tests every row of the table', () => {
  const tried = [...BLOCK_LIMITS, ...MODAL_LIMITS].map(({ row }) => row);

  expect(Object.keys(LIMITS).toSorted()).toEqual([...new Set([...tried, ...OTHER_ROWS])].toSorted());
});
