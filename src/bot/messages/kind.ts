import type { SlackMessage } from '../domain/slack-message.ts';
import type { Message, Writes } from '../store/messages.ts';

/** What a message shows now. */
export interface Rendered {
  readonly content: SlackMessage;
  /** Stored with the attempt, and handed back to `render` while it is unclear whether the attempt was posted. */
  readonly attemptData?: unknown;
  /** For messages that are sent once: there is more to say in another message. */
  readonly hasMore?: boolean;
  /** Not redrawn again before then, in milliseconds. */
  readonly restMs?: number;
  /** Written together with the confirmation that the message is at `ts`. */
  readonly also?: (ts: string) => Writes;
}

/** What one kind of message says: the protocol is the same for all (see `deliver.ts`). */
export interface MessageKind {
  /** Kept true: edited whenever it should show something else. Sent once: deleted from our table once it is posted. */
  readonly lifecycle: 'kept true' | 'sent once';
  /** The shortest pause after a failure, in milliseconds. */
  readonly shortestRetryMs: number;
  /** Renders the latest state; null: there is nothing to show (any more). */
  render(message: Message): Promise<Rendered | null>;
  /**
   * Slack refused this very message.
   *
   * @returns what to write when it is given up; null: it is tried again
   */
  giveUp?(message: Message, error: string): Promise<Writes | null>;
}
