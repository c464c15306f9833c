import type { KnownBlock, ModalView } from '@slack/types';
import { LIMITS } from './limits.ts';
import { mrkdwn, plainText } from './mrkdwn.ts';

/** A list of incidents in a modal. @param content its blocks, or one sentence in mrkdwn */
export function listModal(content: string | readonly KnownBlock[]): ModalView {
  return {
    type: 'modal',
    title: plainText('Incidents', LIMITS.modalTitle),
    close: plainText('Close', LIMITS.modalButton),
    blocks: typeof content === 'string' ? [{ type: 'section', text: mrkdwn(content) }] : [...content],
  };
}
