import { expect, it } from 'vitest';
import { createVirtualClock, type LocalSlack } from '../src/local-slack.ts';
import type { Message, View } from '../src/workspace/model.ts';
import { type Connection, client, connect, type Fixture, startFixture } from './fixture.ts';

const plain = (text: string): object => ({ type: 'plain_text', text });
const option = (value: string): object => ({ value, text: plain(value) });
const options = [option('web'), option('db')];
const input = (block: string, element: object): object => ({
  type: 'input',
  block_id: block,
  label: plain(block),
  optional: true,
  element: { action_id: 'typed', ...element },
});

async function openModal(fixture: Fixture, app: Connection, blocks: readonly object[]): Promise<View> {
  await fixture.slack.as('ana').command('playground', '/hello');
  const { payload } = await app.hears(({ type }) => type === 'slash_commands');
  const view = { type: 'modal', title: plain('Form'), submit: plain('Send'), blocks };
  await client(fixture.slack).apiCall('views.open', { trigger_id: payload.trigger_id, view });
  return top(fixture.slack);
}

function top(slack: LocalSlack): View {
  const view = slack.openViews('ana').at(-1);
  if (view === undefined) {
    throw new Error('no modal is open');
  }
  return view;
}

interface WithState {
  readonly state?: { readonly values: unknown };
}

/** `state.values` of the last payload. */
function stateOfLastPayload(app: Connection): unknown {
  const payload = (app.received.at(-1)?.payload ?? {}) as WithState & { readonly view?: WithState };
  return (payload.view ?? payload).state?.values;
}

it('sends the state of all elements of a modal, also in actions and sections', async () => {
  await using fixture = await startFixture();
  await using app = await connect(fixture.slack);
  const view = await openModal(fixture, app, [
    {
      type: 'actions',
      block_id: 'row',
      elements: [
        { type: 'button', action_id: 'go', text: plain('Go') },
        { type: 'static_select', action_id: 'service', options },
        { type: 'datepicker', action_id: 'since', initial_date: '2026-11-20' },
      ],
    },
    {
      type: 'section',
      block_id: 'said',
      text: plain('Who?'),
      accessory: { type: 'multi_users_select', action_id: 'who', initial_users: ['U0BEN00001'] },
    },
    input('note', { type: 'plain_text_input' }),
  ]);

  await fixture.slack.as('ana').click(view, 'service', 'db', { note: 'seen' });

  expect(stateOfLastPayload(app)).toEqual({
    row: {
      service: { type: 'static_select', selected_option: expect.objectContaining({ value: 'db' }) },
      since: { type: 'datepicker', selected_date: '2026-11-20' },
    },
    said: { who: { type: 'multi_users_select', selected_users: ['U0BEN00001'] } },
    note: { typed: { type: 'plain_text_input', value: 'seen' } },
  });
});

it('sends the state of a message with a click', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  await using app = await connect(slack);
  const elements = [
    { type: 'button', action_id: 'go', text: plain('Go') },
    { type: 'checkboxes', action_id: 'which', options },
  ];
  const blocks = [{ type: 'actions', block_id: 'row', elements }];
  await client(slack).apiCall('chat.postMessage', { channel: 'C0PLAYGRND', text: 'a card', blocks });
  const [message] = slack.messages('playground') as [Message];

  await slack.as('ana').click(message, 'go', null, { which: ['web'] });

  expect(stateOfLastPayload(app)).toEqual({
    row: { which: { type: 'checkboxes', selected_options: [expect.objectContaining({ value: 'web' })] } },
  });
});

it('validates typed values like Slack before it sends them', async () => {
  await using fixture = await startFixture();
  await using app = await connect(fixture.slack);
  const view = await openModal(fixture, app, [
    input('mail', { type: 'email_text_input' }),
    input('link', { type: 'url_text_input' }),
    input('count', { type: 'number_input', is_decimal_allowed: false, min_value: '2', max_value: '9' }),
  ]);
  const heard = app.received.length;
  const errorsOf = async (values: Record<string, string>) =>
    Object.values((await fixture.slack.as('ana').submit(view, values)).errors);

  expect(await errorsOf({ mail: 'ana' })).toEqual(['Please enter a valid email address.']);
  expect(await errorsOf({ link: 'runbook' })).toEqual(['Please enter a valid URL.']);
  expect(await errorsOf({ count: '2.5' })).toEqual(['Please enter a whole number.']);
  expect(await errorsOf({ count: '1' })).toEqual(['Please enter a number that is at least 2.']);
  expect(await errorsOf({ count: '10' })).toEqual(['Please enter a number that is at most 9.']);
  expect(app.received).toHaveLength(heard);
  expect(await errorsOf({ mail: 'ana@example.com', link: 'https://example.com', count: '9' })).toEqual([]);
});

it('asks for the options of a select after enough characters', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  await using app = await connect(slack, ({ payload }) => (payload.type === 'block_suggestion' ? { options } : null));
  const view = await openModal(fixture, app, [
    input('usual', { type: 'external_select', action_id: 'usual' }),
    input('eager', { type: 'external_select', action_id: 'eager', min_query_length: 0 }),
  ]);
  const asked = (): number => app.received.filter(({ payload }) => payload?.type === 'block_suggestion').length;

  const short = await slack.as('ana').suggest(view, 'usual', 'we');
  expect(short).toEqual({ ack: null, shown: null, options: [] });
  expect(asked()).toBe(0);
  await slack.as('ana').suggest(view, 'usual', 'web');
  await slack.as('ana').suggest(view, 'eager', '');

  expect(asked()).toBe(2);
});

it('submits the options of a select that were chosen from the start', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  await using app = await connect(slack);
  const option = (text: string): object => ({ text: plain(text), value: text });
  const view = await openModal(fixture, app, [
    input('towns', {
      type: 'multi_external_select',
      action_id: 'towns',
      initial_options: [option('Lisbon'), option('Paris')],
    }),
  ]);

  await slack.as('ana').submit(view, {});

  const { payload } = await app.hears(({ payload: sent }) => sent?.type === 'view_submission');
  expect(payload).toMatchObject({
    view: { state: { values: { towns: { towns: { selected_options: [{ value: 'Lisbon' }, { value: 'Paris' }] } } } } },
  });
});

it('shows up to 100 options that the app sends, and refuses what Slack refuses', async () => {
  await using fixture = await startFixture();
  const { slack } = fixture;
  const option = (text: string, value = text): object => ({ text: plain(text), value });
  const hundred = Array.from({ length: 100 }, (_, index) => option(`town ${index}`));
  let answer: object | null = null;
  await using app = await connect(slack, ({ payload }) => (payload.type === 'block_suggestion' ? answer : null));
  const view = await openModal(fixture, app, [input('town', { type: 'multi_external_select', action_id: 'town' })]);
  const shownFor = async (body: object | null): Promise<string | null> => {
    answer = body;
    return (await slack.as('ana').suggest(view, 'town', 'tow')).shown;
  };

  expect(await shownFor({ options: hundred })).toBeNull();
  expect(await shownFor({ options: [] })).toBeNull();
  for (const wrong of [
    null,
    {},
    { options: [...hundred, option('one more')] },
    { options: [option('x'.repeat(76), 'long')] },
    { options: [option('long', 'x'.repeat(151))] },
    { options: [{ text: plain('no value') }] },
    { options: [], option_groups: [{ label: plain('both'), options: hundred }] },
  ]) {
    expect(await shownFor(wrong)).toBe('The options could not be loaded.');
  }
});

it('applies only faults of response_url to a response URL', async () => {
  const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
  await using fixture = await startFixture({ clock });
  const { slack } = fixture;
  await using app = await connect(slack);
  await slack.as('ana').command('playground', '/hello');
  const url = String((await app.hears(({ type }) => type === 'slash_commands')).payload.response_url);
  const respond = (): Promise<Response> => fetch(url, { method: 'POST', body: JSON.stringify({ text: 'hello' }) });
  slack.faults.repeat('*', { kind: 'error', error: 'token_revoked' }, { seconds: 60 });
  slack.faults.next('response_url', { kind: 'rate_limited', retryAfterSeconds: 7 });
  slack.faults.next('response_url', { kind: 'error', error: 'internal_error' });
  slack.faults.next('response_url', { kind: 'stored-then-502' });

  const limited = await respond();
  const refused = await respond();
  const stored = await respond();
  const fine = await respond();

  expect([limited, refused, stored, fine].map(({ status }) => status)).toEqual([429, 400, 502, 200]);
  expect(limited.headers.get('retry-after')).toBe('7');
  expect(slack.ephemerals('ana', 'playground')).toHaveLength(2);
});
