import type { Ack, Delivers } from '../delivery/delivery.ts';
import type { EventFeed } from '../delivery/event-feed.ts';
import type { ResponseUrls } from '../delivery/response-url.ts';
import type { Manifest } from '../manifest.ts';
import type { Triggers } from '../workspace/triggers.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Suggestions } from './suggestions.ts';

/** Result of an action of a person. */
export interface Outcome {
  /** Null when nothing was sent to the app. */
  readonly ack: Ack | null;
  /** The error message that Slack shows to the person, or null. */
  readonly shown: string | null;
}

export interface PeopleDeps {
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  readonly triggers: Triggers;
  readonly suggestions: Suggestions;
  readonly responses: ResponseUrls;
  readonly delivery: Delivers;
  readonly events: EventFeed;
  readonly baseUrl: () => string;
  readonly now: () => Date;
}
