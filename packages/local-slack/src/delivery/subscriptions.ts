export type Payload = Readonly<Record<string, unknown>>;

/** An event, with the subscription in `bot_events` and the scope that the app needs for it. */
export interface AppEvent {
  readonly subscription: Subscription;
  /** Null when no scope is needed. */
  readonly scope: string | null;
  readonly event: Payload;
}

/** The supported events: https://docs.slack.dev/reference/events */
export const SUBSCRIPTIONS = [
  'app_home_opened',
  'app_mention',
  'channel_archive',
  'channel_unarchive',
  'group_archive',
  'group_unarchive',
  'link_shared',
  'member_joined_channel',
  'member_left_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'pin_added',
  'pin_removed',
] as const;
export type Subscription = (typeof SUBSCRIPTIONS)[number];
