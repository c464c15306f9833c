import { expect, it } from 'vitest';
import { createWatch } from './watch.ts';

const storm = {
  ts: '1.000000',
  channel: 'C1',
  text: '',
  blocks: [{ text: { text: 'payments: 13 incidents' } }],
  metadata: { event_type: 'tocsin_storm', event_payload: { storm_id: 'storm-1' } },
};
const now = () => 0;

it('reads the services of a storm card', async () => {
  const watch = createWatch({ slack: { messages: async () => [storm] }, incidents: async () => [], now });

  await watch.look();

  expect(watch.observed(0).storms).toEqual(['payments: 13 incidents']);
});

it('keeps what it saw while Slack does not respond', async () => {
  const looks = [Promise.resolve([storm]), Promise.reject(new Error('away'))].values();
  const messages = () => looks.next().value ?? Promise.resolve([]);
  const watch = createWatch({ slack: { messages }, incidents: async () => [], now });
  await watch.look();

  await expect(watch.look()).rejects.toThrow('away');

  expect(watch.observed(0).storms).toHaveLength(1);
});
