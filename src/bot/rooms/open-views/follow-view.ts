import { isAcknowledged } from '../../../incident/acknowledged.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import { openView, type ShownIn } from './open-view.ts';
import type { OpenViewKindName, OpenViewStore } from './open-views.ts';

export type FollowDeps = Pick<ListenerDeps<{ readonly openViews: OpenViewStore }>, 'store' | 'now'>;

export interface FollowedPlace {
  readonly kind: OpenViewKindName;
  readonly slackUserId: SlackUserId;
  readonly shownIn: ShownIn;
}

export interface FollowedContent {
  /** What is shown: the name of a list, or the choices of a view. */
  readonly what: string;
  readonly incidentIds: readonly IncidentId[];
}

/**
 * Refreshes what is about to be shown to one person, when one of its incidents changes.
 *
 * @param isDue it is out of date already
 * @returns until when; null: Slack does not let the bot replace it
 */
export async function followView(
  { store, now }: FollowDeps,
  { kind, slackUserId, shownIn }: FollowedPlace,
  { what, incidentIds }: FollowedContent,
  isDue = false,
): Promise<Date | null> {
  if (shownIn.viewId === null && shownIn.responseUrl === null) {
    return null;
  }
  const view = openView(shownIn, what, incidentIds, now());
  await store.openViews.watch(slackUserId, { ...view, kind, channelId: shownIn.channelId }, isDue);
  return new Date(view.until);
}

/**
 * Makes a followed view due if its incidents have changed since they were read. A change makes only a view due that is
 * followed already, and following it again takes that back.
 *
 * @param read the incidents as they are about to be shown
 * @param isSame whether the view shows the same of both
 */
export async function refreshIfOld(
  deps: FollowDeps,
  place: FollowedPlace,
  content: FollowedContent,
  read: readonly Snapshot[],
  isSame = isSameState,
): Promise<void> {
  const stored = await deps.store.incidents.findAll(content.incidentIds);
  if (read.some((each) => stored.has(each.id) && !isSame(each, stored.get(each.id)))) {
    await followView(deps, place, content, true);
  }
}

/** Whether two readings of an incident show the same state. */
export function isSameState(one: Snapshot, other: Snapshot | undefined): boolean {
  return other !== undefined && one.status === other.status && isAcknowledged(one) === isAcknowledged(other);
}
