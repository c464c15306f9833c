import { describe, expect, it } from 'vitest';
import type { LocalSlack } from '../src/local-slack.ts';
import { client, connect, startFixture } from './fixture.ts';

describe('modals', () => {
  const modal = (title: string, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
    type: 'modal',
    title: { type: 'plain_text', text: title },
    blocks: [],
    ...fields,
  });
  const titles = (slack: LocalSlack): unknown[] => slack.openViews('ana').map(({ content }) => content.title?.text);

  it('can be stacked up to three, updated and cleared by the app', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const answers: Record<string, unknown>[] = [
      { response_action: 'push', view: modal('Second') },
      { response_action: 'push', view: modal('Third') },
      { response_action: 'push', view: modal('Fourth') },
      { response_action: 'update', view: modal('Third again') },
      { response_action: 'clear' },
    ];
    await using connection = await connect(slack, ({ type }) =>
      type === 'interactive' ? (answers.shift() ?? null) : null,
    );
    await slack.as('ana').command('playground', '/hello');
    await client(slack).apiCall('views.open', {
      trigger_id: connection.received[1]?.payload.trigger_id,
      view: modal('First'),
    });
    const submitTop = async (): Promise<unknown[]> => {
      const top = slack.openViews('ana').at(-1);
      const outcome = top && (await slack.as('ana').submit(top, {}));
      return [outcome?.shown ?? null, titles(slack)];
    };

    expect(await submitTop()).toEqual([null, ['First', 'Second']]);
    expect(await submitTop()).toEqual([null, ['First', 'Second', 'Third']]);
    expect(await submitTop()).toEqual([expect.stringContaining('trouble'), ['First', 'Second', 'Third']]);
    expect(await submitTop()).toEqual([null, ['First', 'Second', 'Third again']]);
    expect(await submitTop()).toEqual([null, []]);
  });

  it('ask the app for the options of a select and submit the chosen one', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    const option = (name: string): object => ({ text: { type: 'plain_text', text: name }, value: name.toLowerCase() });
    await using connection = await connect(slack, ({ payload }) =>
      payload.type === 'block_suggestion'
        ? { option_groups: [{ label: { type: 'plain_text', text: 'Towns' }, options: [option('Lisbon')] }] }
        : null,
    );
    await slack.as('ana').command('playground', '/hello');
    const element = { type: 'external_select', action_id: 'choose', initial_option: option('Paris') };
    const label = { type: 'plain_text', text: 'Town' };
    await client(slack).apiCall('views.open', {
      trigger_id: connection.received[1]?.payload.trigger_id,
      view: modal('Where', {
        submit: { type: 'plain_text', text: 'Go' },
        blocks: [{ type: 'input', block_id: 'town', label, element }],
      }),
    });
    const ana = slack.as('ana');
    const view = await slack.waitFor(() => slack.openViews('ana')[0]);

    await ana.suggest(view, 'choose', 'Lis');
    await ana.submit(view, { Town: 'Lisbon' });

    const [, , asked, submitted] = connection.received;
    expect(asked?.payload).toMatchObject({
      type: 'block_suggestion',
      action_id: 'choose',
      block_id: 'town',
      value: 'Lis',
      container: { type: 'view', view_id: view.id },
      view: { id: view.id },
    });
    expect(asked?.payload).not.toHaveProperty('trigger_id');
    expect(submitted?.payload).toMatchObject({
      view: { state: { values: { town: { choose: { selected_option: { value: 'lisbon' } } } } } },
    });
  });

  it('send view_closed when the app asked for it', async () => {
    await using fixture = await startFixture();
    const { slack } = fixture;
    await using connection = await connect(slack);
    await slack.as('ana').command('playground', '/hello');
    await client(slack).apiCall('views.open', {
      trigger_id: connection.received[1]?.payload.trigger_id,
      view: modal('First', { notify_on_close: true, private_metadata: 'kept' }),
    });
    const [view] = slack.openViews('ana');
    if (view === undefined) {
      throw new Error('the modal did not open');
    }

    await slack.as('ana').close(view);

    expect(connection.received[2]?.payload).toMatchObject({
      type: 'view_closed',
      is_cleared: false,
      view: { id: view.id, private_metadata: 'kept' },
    });
    expect(titles(slack)).toEqual([]);
  });
});
