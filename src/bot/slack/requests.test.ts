import { App, type ReceiverEvent } from '@slack/bolt';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createRequests, type Requests } from './requests.ts';

/** @param onWork runs after `/go` is acknowledged, with what was typed */
function createTestApp(onWork: (text: string) => Promise<void>): App {
  const nothing = async () => undefined;
  const app = new App({
    receiver: { init: () => undefined, start: nothing, stop: nothing },
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1' }),
  });
  app.error(async (error) => {
    throw error;
  });
  app.command('/fail', async () => {
    throw new Error('broken');
  });
  app.command('/silent', async () => undefined);
  app.command('/twice', async ({ ack }) => {
    await ack();
    await ack();
  });
  app.command('/go', async ({ ack, command }) => {
    await ack();
    await onWork(command.text);
  });
  return app;
}

function createOpenRequests(
  onWork: (text: string) => Promise<void> = async () => undefined,
  onAcknowledged: (durationMs: number) => void = () => undefined,
): Requests {
  const requests = createRequests(silentLogger, onAcknowledged);
  requests.open(createTestApp(onWork));
  return requests;
}

function go(text: string, ack: () => Promise<void>, command = '/go'): ReceiverEvent {
  return { body: { command, text, team_id: 'T1', user_id: 'U2', channel_id: 'C1' }, ack };
}

function createAck() {
  let count = 0;
  return {
    ack: async () => {
      count += 1;
    },
    count: () => count,
  };
}

it('handles one request while the acknowledgement of another is slow', async () => {
  const { promise: isWorkedOn, resolve } = Promise.withResolvers<void>();
  const requests = createOpenRequests(async (text) => (text === 'quick' ? resolve() : undefined));

  await Promise.all([
    requests.processEvent(go('slow', () => isWorkedOn)),
    requests.processEvent(go('quick', async () => undefined)),
  ]);

  await expect(isWorkedOn).resolves.toBeUndefined();
});

it('leaves a request unacknowledged whose handler fails before that, and handles others', async () => {
  const { ack, count } = createAck();
  const worked: string[] = [];
  const requests = createOpenRequests(async (text) => void worked.push(text));

  await expect(requests.processEvent(go('', ack, '/fail'))).rejects.toThrow('broken');
  await requests.processEvent(go('next', ack));
  await requests.drain();

  expect([count(), worked]).toEqual([1, ['next']]);
});

it('reports no failure to the transport once the request is acknowledged', async () => {
  const { ack, count } = createAck();
  const requests = createOpenRequests(() => Promise.reject(new Error('broken')));

  await requests.processEvent(go('', ack));

  expect(count()).toBe(1);
});

it.each(['/silent', '/twice'])('acknowledges exactly once and measures that: %s', async (command) => {
  const { ack, count } = createAck();
  const durations: number[] = [];
  const requests = createOpenRequests(undefined, (durationMs) => durations.push(durationMs));

  await requests.processEvent(go('', ack, command));

  expect(count()).toBe(1);
  expect(durations).toEqual([expect.any(Number)]);
});

it('takes nothing before it is open', async () => {
  const { ack, count } = createAck();
  const requests = createRequests(silentLogger, () => undefined);

  await requests.processEvent(go('', ack));

  expect([requests.isOpen(), count()]).toEqual([false, 0]);
});

it('waits for the running handlers when it drains, and takes nothing more', async () => {
  const [isRunning, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended: string[] = [];
  const { ack, count } = createAck();
  const requests = createOpenRequests(async (text) => {
    isRunning.resolve();
    await end.promise;
    ended.push(text);
  });
  const running = requests.processEvent(go('running', ack));
  await isRunning.promise;

  const drained = requests.drain().then(() => ended.push('drained'));
  await requests.processEvent(go('late', ack));
  end.resolve();
  await Promise.all([running, drained]);

  expect(ended).toEqual(['running', 'drained']);
  expect([requests.isOpen(), count()]).toEqual([false, 1]);
});
