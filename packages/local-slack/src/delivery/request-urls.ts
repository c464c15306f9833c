import { LocalSlackStartError } from '../errors.ts';
import type { Manifest } from '../manifest.ts';
import type { Envelope } from './delivery.ts';

/** The request URLs of an app without Socket Mode. */
export interface RequestUrls {
  /** Null when the app receives nothing of this kind. */
  of(envelope: Pick<Envelope, 'type' | 'payload'>): string | null;
  /** Has to echo a challenge before it gets the first event. */
  readonly events: string | null;
}

export function oneRequestUrl(url: string): RequestUrls {
  return { of: () => url, events: url };
}

/** @throws LocalSlackStartError naming every missing request URL */
export function requestUrlsOf({ features, settings }: Manifest): RequestUrls {
  const { interactivity, event_subscriptions: events } = settings;
  const commandUrls = new Map(features.slash_commands.map(({ command, url }) => [command, url]));
  const missing = [
    ...[...commandUrls].filter(([, url]) => url === undefined).map(([command]) => `the url of the command ${command}`),
    ...(interactivity.is_enabled && interactivity.request_url === undefined
      ? ['settings.interactivity.request_url']
      : []),
    ...(events.bot_events.length > 0 && events.request_url === undefined
      ? ['settings.event_subscriptions.request_url']
      : []),
  ];
  if (missing.length > 0) {
    throw new LocalSlackStartError(
      `the app manifest has Socket Mode off and lacks ${missing.join(', ')}: set what is missing, or settings.socket_mode_enabled to true`,
    );
  }
  return {
    events: events.request_url ?? null,
    of({ type, payload }) {
      switch (type) {
        case 'slash_commands':
          return commandUrls.get(String(payload.command)) ?? null;
        case 'interactive':
          return payload.type === 'block_suggestion'
            ? (interactivity.message_menu_options_url ?? interactivity.request_url ?? null)
            : (interactivity.request_url ?? null);
        case 'events_api':
          return events.request_url ?? null;
      }
    },
  };
}
