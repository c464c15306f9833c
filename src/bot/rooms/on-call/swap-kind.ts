import { code, dateToken } from '../../blocks/mrkdwn.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { deleteMessage } from '../../messages/message-store.ts';
import { tellPerson } from '../../messages/notices.ts';
import { MAX_REFUSALS } from '../../messages/refusals.ts';
import { SWAP_DATA } from './swap-messages.ts';
import { swapMessage } from './swap-view.ts';

const ERROR_LENGTH = 60;

/** A direct message that asks somebody to take a turn, and says what became of it. */
export function createSwapKind({ now }: { now: () => Date }): MessageKind<'swap'> {
  return {
    lifecycle: 'kept true',
    shownAs: { subjectField: 'swap_id' },
    data: SWAP_DATA,
    shortestRetryMs: 1_000,
    render: async ({ subject, placeId, data }) => ({ content: swapMessage(subject, data, placeId, now()) }),

    /** Who asked must not wait for somebody who was never asked. */
    async giveUp(message, error) {
      const { subject, placeId, data, ts, refusals } = message;
      if (ts !== null || refusals < MAX_REFUSALS) {
        return null;
      }
      const said = `Slack does not let me ask <@${placeId}> to take your turn of ${dateToken(data.from)} (${code(error, ERROR_LENGTH)}). Please ask somebody else.`;
      return async (tx, read) => {
        await deleteMessage(message)(tx, read);
        if (data.state === 'asked') {
          await tellPerson(tx, `swap ${subject} not asked ${placeId}`, data.asker, said);
        }
      };
    },
  };
}
