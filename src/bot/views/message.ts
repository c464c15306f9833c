import type { KnownBlock } from '@slack/types';
import { LIMITS } from './limits.ts';

/** `text` says all that the blocks say: notifications and screen readers read it alone. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** The complete text of a message from its lines; empty ones are dropped. */
export function messageText(lines: readonly string[], max: number = LIMITS.messageText): string {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.filter((candidate) => candidate !== '')) {
    length += line.length + 1;
    if (length > max - 2) {
      return [...kept, '…'].join('\n');
    }
    kept.push(line);
  }
  return kept.join('\n');
}
