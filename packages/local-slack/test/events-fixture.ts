import type { Connection } from './fixture.ts';

/** The manifest of an app that subscribes to most events. */
export const LISTENER = `
display_information: { name: Listener }
features:
  bot_user: { display_name: Listener }
  app_home: { home_tab_enabled: true }
  unfurl_domains: [example.com]
oauth_config:
  scopes:
    bot:
      - app_mentions:read
      - channels:history
      - channels:join
      - channels:manage
      - channels:read
      - chat:write
      - groups:history
      - im:history
      - links:read
      - pins:read
      - pins:write
settings:
  event_subscriptions:
    bot_events:
      - app_home_opened
      - app_mention
      - channel_archive
      - link_shared
      - member_joined_channel
      - message.channels
      - message.im
      - message.mpim
      - pin_added
      - pin_removed
  socket_mode_enabled: true
`;

export type Fields = Record<string, unknown>;

export const eventsOf = (connection: Connection): Fields[] =>
  connection.received.filter(({ type }) => type === 'events_api').map(({ payload }) => payload.event as Fields);

/** Waits for the first event that matches. */
export async function heard(connection: Connection, fields: Fields): Promise<Fields> {
  const isSo = (event: Fields): boolean => Object.entries(fields).every(([name, value]) => event[name] === value);
  const { payload } = await connection.hears(
    ({ type, payload }) => type === 'events_api' && isSo(payload.event as Fields),
  );
  return payload.event as Fields;
}
