import { createHmac } from 'node:crypto';
import type { BotTeam } from './bot-team.ts';

export interface SignedPost {
  readonly body: string;
  /** Default: a form. */
  readonly type?: string;
  /** Default: the correct secret. */
  readonly secret?: string;
  /** Default: now. */
  readonly sentAtMs?: number;
}

/** Posts to the bot's request URL as Slack does. @returns the status */
export async function postSigned(team: BotTeam, { body, type, secret, sentAtMs = Date.now() }: SignedPost) {
  const timestamp = String(Math.floor(sentAtMs / 1_000));
  const signature = createHmac('sha256', secret ?? team.signingSecret)
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const response = await fetch(team.requestUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': type ?? 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  });
  return response.status;
}

/** Posts an interaction, such as a click or a submitted form. @returns the status */
export function postInteraction(team: BotTeam, payload: Readonly<Record<string, unknown>>): Promise<number> {
  return postSigned(team, { body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() });
}
