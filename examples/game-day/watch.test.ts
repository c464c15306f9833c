import { expect, it } from 'vitest';
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
