import type { RespondArguments } from '@slack/bolt';
import type { Fetch } from './clients.ts';
import { ResponseRefusedError } from './errors.ts';

/** @throws ResponseRefusedError when Slack refuses: the address is older than 30 minutes, or was used five times */
export type RespondTo = (responseUrl: string, message: RespondArguments) => Promise<void>;

/** Like Bolt's `respond`, for an address that was kept, because a submitted form has none. */
export function createRespondTo(send: Fetch): RespondTo {
  return async (responseUrl, message) => {
    const response = await send(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    if (!response.ok) {
      throw new ResponseRefusedError(response.status);
    }
  };
}
