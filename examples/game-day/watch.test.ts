import { expect, it, vi } from 'vitest';
import type { ServiceClient } from '../../src/client/service-client.ts';
import type { SlackRemote } from './local-slack.ts';
import { startWatch } from './watch.ts';

it('says why it saw nothing when a wait ends', async () => {
  const slack = { look: () => Promise.reject(new Error('elements[3].text is required')) } as unknown as SlackRemote;
  const stopping = new AbortController().signal;
  await using watch = startWatch({ slack, service: {} as ServiceClient, now: () => performance.now(), stopping });

  await expect(watch.until('a card', () => true, 1)).rejects.toThrow(
    'a card: timeout after 0.001 s; the last look failed: Error: elements[3].text is required',
  );
});

it('reads the services of a storm card', async () => {
  const storm = {
    ts: '1.000000',
    channel: 'C1',
    text: '',
    isFromApp: true,
    blocks: [{ type: 'section', block_id: 'a', text: { text: 'payments: 13 incidents' } }],
    metadata: { event_type: 'tocsin_storm', event_payload: { storm_id: 'storm-1' } },
  };
  const slack = {
    look: () => Promise.resolve({ channelId: 'C1', messages: [storm], ephemerals: [], views: [] }),
  } as unknown as SlackRemote;
  const service = { incidents: () => [] } as unknown as ServiceClient;
  const stopping = new AbortController().signal;
  await using watch = startWatch({ slack, service, now: () => performance.now(), stopping });

  await vi.waitFor(() => expect(watch.observed().storms).toEqual(['payments: 13 incidents']));
});
