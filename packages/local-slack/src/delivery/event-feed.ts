import type { Logger } from 'pino';
import type { Manifest } from '../manifest.ts';
import { countPins } from '../workspace/pins.ts';
import { toTs } from '../workspace/present.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Dispatcher } from './dispatcher.ts';
import { eventsOf } from './events.ts';
import { type AppEvent, SUBSCRIPTIONS } from './subscriptions.ts';

export interface EventFeed {
  /** Sends the event if the manifest subscribes to it and has the scope. */
  send(event: AppEvent): void;
}

/** Sends the app the events of the workspace that its manifest subscribes to. */
export function createEventFeed(deps: {
  workspace: Workspace;
  manifest: Manifest;
  dispatcher: Dispatcher;
  now: () => Date;
  logger: Logger;
}): EventFeed {
  const { workspace, manifest } = deps;
  const subscribed = manifest.settings.event_subscriptions.bot_events;
  const unknown = subscribed.filter((name) => !SUBSCRIPTIONS.some((each) => each === name));
  if (unknown.length > 0) {
    deps.logger.warn({ events: unknown }, 'the manifest subscribes to events that local Slack does not send');
  }

  function send({ subscription, scope, event }: AppEvent): void {
    const hasScope = scope === null || manifest.oauth_config.scopes.bot.includes(scope);
    if (subscribed.includes(subscription) && hasScope) {
      deps.dispatcher.emit(event);
    }
  }

  workspace.onChange((change) => {
    const events =
      change &&
      eventsOf(change, {
        channelOf: (id) => workspace.findChannel(id),
        parentOf: ({ channel, threadTs }) => workspace.findMessage(channel, threadTs ?? ''),
        pinsIn: (channelId) => countPins(workspace, channelId),
        ts: toTs(deps.now()),
        unfurlDomains: manifest.features.unfurl_domains,
      });
    for (const event of events ?? []) {
      send(event);
    }
  });
  return { send };
}
