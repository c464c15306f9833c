import { z } from 'zod';
import type { PageEventType } from '../../../../contract/events.ts';
import { secondsToMilliseconds } from '../../../../runtime/dates.ts';
import type { WakeMessage } from '../../waking/message.ts';
import type { Way } from '../way.ts';

/** A bot that is there answers within a second or two. */
const REPORTED_WITHIN_MS = secondsToMilliseconds(8);

const Address = z.object({ slackUserId: z.string().regex(/^[UW][A-Z0-9]{1,30}$/) });
export type SlackAddress = z.infer<typeof Address>;

/** Tells the bots. A message with the id of an earlier one is the same message. */
export type TellBots = (type: PageEventType, slackUserId: string, message: WakeMessage) => Promise<void>;

/** A direct message in Slack. A bot that follows the events of the service posts it, and reports what became of it. */
export function createSlackWay(tell: TellBots): Way<SlackAddress> {
  const given = z.string().transform((slackUserId) => ({ slackUserId }));
  return {
    address: z.union([given, Address]).pipe(Address),
    describe: ({ slackUserId }) => slackUserId,
    provedBy: 'answer',
    reportedWithinMs: REPORTED_WITHIN_MS,
    missing: null,
    lostAnswer: { by: 'repeating' },
    async call({ slackUserId }, message) {
      await tell('page.asked', slackUserId, message);
      return null;
    },
    takeBack: ({ address: { slackUserId } }, message) => tell('page.ended', slackUserId, message),
  };
}
