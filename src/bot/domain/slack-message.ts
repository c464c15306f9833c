import type { KnownBlock } from '@slack/types';

/** `text` says everything that the blocks say: notifications and screen readers read it alone. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}
