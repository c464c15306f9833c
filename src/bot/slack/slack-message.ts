import type { KnownBlock } from '@slack/types';

/** `text` has all information of the blocks, because notifications and screen readers use only `text`. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}
