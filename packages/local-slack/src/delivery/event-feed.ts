import type { Logger } from 'pino';
import type { Manifest } from '../manifest.ts';
import { countPins } from '../workspace/pins.ts';
import { toTs } from '../workspace/present.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type AppEvent, eventsOf, SUBSCRIPTIONS } from './events.ts';

export interface EventFeed {
  /** Sends it, if the manifest subscribes to it and has the scope. */
  tell(event: AppEvent): void;
}

/** Sends the app what happens in the workspace, as far as the app asked for it. */
export function createEventFeed(deps: {
  workspace: Workspace;
  manifest: Manifest;
  dispatcher: Dispatcher;
  now: () => Date;
  logger: Logger;
}): EventFeed {
  const { workspace, manifest } = deps;
  const asked = manifest.settings.event_subscriptions.bot_events;
  const unknown = asked.filter((name) => !SUBSCRIPTIONS.some((each) => each === name));
  if (unknown.length > 0) {
    deps.logger.warn({ events: unknown }, 'the manifest subscribes to events that local Slack never sends');
  }

  function tell({ subscription, scope, event }: AppEvent): void {
    const hasScope = scope === null || manifest.oauth_config.scopes.bot.includes(scope);
    if (asked.includes(subscription) && hasScope) {
      deps.dispatcher.emit(event);
    }
  }

  workspace.onChange((happening) => {
    const events =
      happening &&
      eventsOf(happening, {
        channelOf: (id) => workspace.findChannel(id),
        parentOf: ({ channel, threadTs }) => workspace.findMessage(channel, threadTs ?? ''),
        pinsIn: (channelId) => countPins(workspace, channelId),
        ts: toTs(deps.now()),
        unfurlDomains: manifest.features.unfurl_domains,
      });
    for (const event of events ?? []) {
      tell(event);
    }
  });
  return { tell };
}
