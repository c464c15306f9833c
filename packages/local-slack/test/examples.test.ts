import type { ModalView } from '@slack/types';
import { expect, it } from 'vitest';
import { createRealClock } from '../src/clock.ts';
import { client, connect, refusal, startFixture } from './fixture.ts';
import { BLOCKS } from './validation/examples-catalogue.ts';

it('accepts every documented block in blocks.validate and in a message', async () => {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  await using fixture = await startFixture({ clock: createRealClock(() => new Date(nowMs)) });
  const web = client(fixture.slack);
  const refused: string[] = [];

  for (const [name, block] of Object.entries(BLOCKS)) {
    const post = { channel: 'C0PLAYGRND', text: 'fallback', blocks: [block] };
    const verdicts = [
      await refusal(web.apiCall('blocks.validate', { blocks: [block] })),
      await refusal(web.apiCall('blocks.validate', { message: { text: 'fallback', blocks: [block] } })),
      await refusal(web.apiCall('chat.postMessage', post)),
    ];
    refused.push(...verdicts.filter((verdict) => verdict !== 'ok').map((verdict) => `${name}: ${verdict}`));
    nowMs += 2_000; // as fast as a channel takes messages
  }

  expect(refused).toEqual([]);
  expect(fixture.slack.messages('playground')).toHaveLength(Object.keys(BLOCKS).length);
});

it('accepts every documented block of views in blocks.validate, a modal and a Home tab', async () => {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  await using fixture = await startFixture({ clock: createRealClock(() => new Date(nowMs)) });
  const { slack } = fixture;
  const web = client(slack);
  let triggerId = '';
  await using _ = await connect(slack, ({ payload }) => {
    triggerId = String(payload.trigger_id);
    return null;
  });
  const refused: string[] = [];

  for (const [name, block] of Object.entries(BLOCKS)) {
    const blocks = [block] as ModalView['blocks']; // as published
    const view = {
      type: 'modal' as const,
      title: { type: 'plain_text' as const, text: 'My App', emoji: true },
      submit: { type: 'plain_text' as const, text: 'Submit', emoji: true },
      close: { type: 'plain_text' as const, text: 'Cancel', emoji: true },
      blocks,
    };
    await slack.as('ana').command('playground', '/hello');
    const verdicts = [
      await refusal(web.apiCall('blocks.validate', { view })),
      await refusal(web.views.open({ trigger_id: triggerId, view })),
      await refusal(web.views.publish({ user_id: 'U0ANA00001', view: { type: 'home', blocks } })),
    ];
    refused.push(...verdicts.filter((verdict) => verdict !== 'ok').map((verdict) => `${name}: ${verdict}`));
    nowMs += 2_000;
  }

  expect(refused).toEqual([]);
});
