import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Asked } from '../../on-call/answer.ts';
import type { Waking } from '../../on-call/waking.ts';
import { afterKeyTwiml } from '../../on-call/ways/call/twiml.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { saidOf } from './said-of.ts';

/** The key that takes what a call tells. */
const TAKES = '1';

/**
 * What Twilio tells us: the key that was pressed in a call, and that an SMS has arrived at the number, where the account is
 * set up for that. Nothing is believed without Twilio's signature.
 */
export function bindTwilio(dashboard: Hono<DashboardEnv>, { answers, twilio }: Waking, publicUrl: string): void {
  async function readSigned(c: Context<DashboardEnv>): Promise<Readonly<Record<string, string>>> {
    const form = z
      .record(z.string(), z.string())
      .catch({})
      .parse(await c.req.parseBody());
    if (twilio?.isSigned(publicUrl + c.req.path, form, c.req.header('x-twilio-signature') ?? '') !== true) {
      throw new PageError(403, 'Not allowed', 'This request is not signed by Twilio.');
    }
    return form;
  }

  dashboard.post('/answer/:token/call', async (c) => {
    const { Digits: key } = await readSigned(c);
    const said = key === TAKES ? saidOfCall(await answers.answer(c.req.param('token'))) : null;
    return c.body(afterKeyTwiml(said, publicUrl + c.req.path), 200, { 'content-type': 'text/xml' });
  });

  dashboard.post('/answers-by-sms', async (c) => {
    await readSigned(c);
    await twilio?.hearSoon();
    return c.body('<Response/>', 200, { 'content-type': 'text/xml' });
  });
}

function saidOfCall(asked: Asked | null): string {
  return asked === null ? 'This call is too old.' : saidOf(asked);
}
