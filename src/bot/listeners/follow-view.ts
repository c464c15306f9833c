import type { IncidentId, SlackUserId } from '../domain/identifiers.ts';
import type { OpenViewKindName } from '../domain/message.ts';
import { openView, type ShownIn } from '../domain/open-view.ts';
import type { ListenerDeps } from './deps.ts';

/**
 * Refreshes what is about to be shown to one person, when one of its incidents changes.
 *
 * @param content.isDue it is out of date already
 * @returns until when; null: Slack does not let the bot replace it
 */
export async function followView(
  { store, now }: Pick<ListenerDeps, 'store' | 'now'>,
  { kind, slackUserId, shownIn }: { kind: OpenViewKindName; slackUserId: SlackUserId; shownIn: ShownIn },
  { what, incidentIds, isDue = false }: { what: string; incidentIds: readonly IncidentId[]; isDue?: boolean },
): Promise<Date | null> {
  if (shownIn.viewId === null && shownIn.responseUrl === null) {
    return null;
  }
  const view = openView(shownIn, what, incidentIds, now());
  await store.openViews.watch(slackUserId, { ...view, kind, channelId: shownIn.channelId }, isDue);
  return new Date(view.until);
}
