import type { Channel, Message } from './model.ts';

export interface MessageChange {
  readonly kind: 'changed';
  readonly before: Message;
  readonly after: Message;
  /** The user who changed it, when the message does not record it. */
  readonly by: string | null;
}

/** A change that an app can subscribe to. */
export type WorkspaceChange =
  | { readonly kind: 'posted'; readonly message: Message }
  | MessageChange
  | { readonly kind: 'deleted'; readonly message: Message }
  | { readonly kind: 'channel'; readonly before: Channel; readonly after: Channel };
