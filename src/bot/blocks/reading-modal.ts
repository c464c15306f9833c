import type { KnownBlock, ModalView } from '@slack/types';
import { withFixedIds } from './fixed-ids.ts';
import { LIMITS } from './limits.ts';
import { mrkdwn, plainText } from './mrkdwn.ts';

/**
 * A modal without a form.
 *
 * @param content its blocks, or one sentence in mrkdwn
 * @param close `Back` for a modal on top of another
 */
export function readingModal(
  title: string,
  content: string | readonly KnownBlock[],
  close: 'Close' | 'Back' = 'Close',
): ModalView {
  return {
    type: 'modal',
    title: plainText(title, LIMITS.modalTitle),
    close: plainText(close, LIMITS.modalButton),
    blocks: typeof content === 'string' ? [{ type: 'section', text: mrkdwn(content) }] : withFixedIds(content),
  };
}
