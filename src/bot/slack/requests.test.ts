import { setImmediate } from 'node:timers/promises';
import { App, type ReceiverEvent } from '@slack/bolt';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../test/support/logger.ts';
import { createFigures } from '../monitoring/counters.ts';
import { createIntake, type Intake } from './inbound.ts';

function createOpenIntake(onWork: (text: string) => Promise<void>): Intake {
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
  app.command('/go', async ({ ack, command }) => {
    await ack();
    await onWork(command.text);
  });
  const intake = createIntake(silentLogger, createFigures(new Registry()));
  intake.open(app);
  return intake;
}

function go(text: string, ack: () => Promise<void>, command = '/go'): ReceiverEvent {
  return { body: { command, text, team_id: 'T1', user_id: 'U2', channel_id: 'C1' }, ack };
}

it('acknowledges all that came together before it works on the first', async () => {
  const order: string[] = [];
  const intake = createOpenIntake(async (text) => void order.push(`${text} is worked on`));

  await Promise.all([
    intake.processEvent(go('first', async () => void order.push('first acknowledged'))),
    intake.processEvent(
      go('second', async () => {
        await setImmediate();
        order.push('second acknowledged');
      }),
    ),
  ]);

  expect(order.slice(0, 2)).toEqual(['first acknowledged', 'second acknowledged']);
  expect(order.slice(2).toSorted()).toEqual(['first is worked on', 'second is worked on']);
});

it('works on what it has acknowledged though another acknowledgement takes long', async () => {
  const { promise: isWorkedOn, resolve } = Promise.withResolvers<void>();
  const intake = createOpenIntake(async (text) => (text === 'quick' ? resolve() : undefined));

  await Promise.all([
    intake.processEvent(go('slow', () => isWorkedOn)),
    intake.processEvent(go('quick', async () => undefined)),
  ]);

  await expect(isWorkedOn).resolves.toBeUndefined();
});

it('leaves to Slack what failed before it was acknowledged, and holds up nobody for it', async () => {
  let acknowledged = 0;
  const worked: string[] = [];
  const intake = createOpenIntake(async (text) => void worked.push(text));
  const ack = async () => {
    acknowledged += 1;
  };

  await expect(intake.processEvent(go('', ack, '/fail'))).rejects.toThrow('broken');
  await intake.processEvent(go('next', ack));
  await intake.drain();

  expect([acknowledged, worked]).toEqual([1, ['next']]);
});
