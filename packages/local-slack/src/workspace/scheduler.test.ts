import { expect, it } from 'vitest';
import { type Clock, createVirtualClock } from '../clock.ts';
import type { ScheduledMessage } from './model.ts';
import { createScheduler } from './scheduler.ts';
import { PLAYGROUND } from './seed.ts';
import { createWorkspace } from './workspace.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const DAY_SECONDS = 24 * 60 * 60;

/** A workspace with a virtual clock. */
function start(options: { postsInPublic?: boolean } = {}) {
  const virtual = createVirtualClock(new Date(START_MS));
  const waits: number[] = [];
  const clock: Clock = {
    now: virtual.now,
    after(ms, work) {
      waits.push(ms);
      return virtual.after(ms, work);
    },
  };
  const workspace = createWorkspace({ botName: 'Hello', appChannel: PLAYGROUND, now: clock.now, snapshot: null });
  const scheduler = createScheduler({ workspace, postsInPublic: options.postsInPublic ?? false, clock });
  const texts = (): string[] =>
    workspace.channels().flatMap(({ id }) => workspace.messages(id).map(({ text }) => text));
  const advanceTo = async (seconds: number): Promise<void> =>
    await virtual.advance(START_MS + seconds * 1000 - virtual.now().getTime());
  return { workspace, scheduler, texts, advanceTo, waits };
}

function message(inSeconds: number, fields: Partial<ScheduledMessage> = {}): ScheduledMessage {
  return {
    id: 'Q1',
    channel: 'C0PLAYGRND',
    postAt: START_MS / 1000 + inSeconds,
    createdAt: START_MS / 1000,
    text: 'later',
    blocks: [],
    attachments: [],
    metadata: null,
    threadTs: null,
    isBroadcast: false,
    ...fields,
  };
}

it('posts a message when its time has come, and not before', async () => {
  const { scheduler, texts, advanceTo, workspace } = start();
  scheduler.add(message(90));

  await advanceTo(89);
  expect(texts()).toEqual([]);
  await advanceTo(90);
  expect(texts()).toEqual(['later']);
  expect(workspace.scheduledMessages.all()).toEqual([]);
});

it('waits longer than one timer of the machine can', async () => {
  const { scheduler, texts, advanceTo, waits } = start();
  scheduler.add(message(120 * DAY_SECONDS));

  await advanceTo(119 * DAY_SECONDS);
  expect(texts()).toEqual([]);
  await advanceTo(120 * DAY_SECONDS);
  expect(texts()).toEqual(['later']);
  expect(Math.max(...waits)).toBeLessThan(2 ** 31);
});

it('posts at once what fell due while nobody ran', () => {
  const { workspace, texts } = start();
  workspace.scheduledMessages.put(message(-5));

  createScheduler({ workspace, postsInPublic: false, clock: createVirtualClock(new Date(START_MS)) });

  expect(texts()).toEqual(['later']);
});

it('posts nothing that was called off, and holds no timer once disposed of', async () => {
  const { scheduler, texts, advanceTo } = start();
  scheduler.add(message(10));
  scheduler.add(message(20, { id: 'Q2' }));

  scheduler.cancel('Q1');
  scheduler[Symbol.dispose]();
  await advanceTo(30);

  expect(texts()).toEqual([]);
});

it.each<[string, Partial<ScheduledMessage>, boolean]>([
  ['in a channel that the app has left', { channel: 'C0GENERAL1' }, false],
  ['with metadata, as Slack does', { metadata: { event_type: 'a', event_payload: {} } }, true],
])('drops a message %s', async (_name, fields, postsInPublic) => {
  const { scheduler, texts, advanceTo } = start({ postsInPublic });
  scheduler.add(message(10, fields));

  await advanceTo(10);

  expect(texts()).toEqual([]);
});

it('drops a message to a channel that was archived meanwhile', async () => {
  const { scheduler, texts, advanceTo, workspace } = start();
  scheduler.add(message(10));
  workspace.changeChannel('C0PLAYGRND', (before) => ({ ...before, isArchived: true }));

  await advanceTo(10);

  expect(texts()).toEqual([]);
});
