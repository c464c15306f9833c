import type { SlackUserId, StormId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { followView, refreshIfOld } from '../listeners/follow-view.ts';
import { listName } from '../views/list-rows.ts';
import { readStormList } from './read-storm-list.ts';
import { stormWords } from './storm-list.ts';

interface Shown {
  readonly stormId: StormId;
  readonly offset: number;
  readonly viewId: string;
  readonly slackUserId: SlackUserId;
}

/**
 * Shows a page of a storm in the modal that is open, and refreshes it when one of its incidents changes. The page that was
 * asked for last wins.
 */
export async function updateStormList(
  deps: Pick<ListenerDeps, 'api' | 'store' | 'now'>,
  { stormId, offset, viewId, slackUserId }: Shown,
  notice: SlackMessage | null = null,
): Promise<void> {
  const page = await readStormList(deps, stormId, offset);
  if (page !== null) {
    const what = listName(offset, stormWords(stormId));
    const incidentIds = page.incidents.map(({ id }) => id);
    const shownIn = { viewId, responseUrl: null, channelId: null };
    const place = { kind: 'list', slackUserId, shownIn } as const;
    const refreshedUntil = await followView(deps, place, { what, incidentIds });
    await refreshIfOld(deps, place, { what, incidentIds }, page.incidents);
    await deps.api.views.update({ view_id: viewId, view: page.modal(deps.now(), refreshedUntil, notice) });
    await deps.store.openViews.confirm(shownIn, what);
  }
}
