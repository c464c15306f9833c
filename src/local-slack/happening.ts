import type { Channel, Message } from './model.ts';

/** A change of the workspace that an app may ask to hear of. */
export type Happening =
  | { readonly kind: 'posted'; readonly message: Message }
  | { readonly kind: 'changed'; readonly before: Message; readonly after: Message }
  | { readonly kind: 'deleted'; readonly message: Message }
  | { readonly kind: 'channel'; readonly before: Channel; readonly after: Channel };
