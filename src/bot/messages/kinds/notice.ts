import { messageText } from '../../views/message.ts';
import type { MessageKind } from '../kind.ts';

/** A message in the channel about Tocsin itself, such as a webhook that was disabled. It never changes. */
export function createNoticeKind(): MessageKind {
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,
    render: ({ data: { text = '' } }) => Promise.resolve({ content: { text: messageText([text]), blocks: [] } }),
  };
}
