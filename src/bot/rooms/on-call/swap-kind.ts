import type { MessageKind } from '../../messages/kind.ts';
import { SWAP_DATA } from './swap-messages.ts';
import { swapMessage } from './swap-view.ts';

/** A direct message that asks somebody to take a turn, and says what became of it. */
export function createSwapKind({ now }: { now: () => Date }): MessageKind<'swap'> {
  return {
    lifecycle: 'kept true',
    shownAs: { subjectField: 'swap_id' },
    data: SWAP_DATA,
    shortestRetryMs: 1_000,
    render: async ({ subject, placeId, data }) => ({ content: swapMessage(subject, data, placeId, now()) }),
  };
}
