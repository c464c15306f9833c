import type { Channel, Message } from './model.ts';

export interface MessageChange {
  readonly kind: 'changed';
  readonly before: Message;
  readonly after: Message;
  /** Who changed it, where that is told and the message does not say it. */
  readonly by: string | null;
}

/** A change of the workspace that an app may ask to hear of. */
export type Happening =
  | { readonly kind: 'posted'; readonly message: Message }
  | MessageChange
  | { readonly kind: 'deleted'; readonly message: Message }
  | { readonly kind: 'channel'; readonly before: Channel; readonly after: Channel };
