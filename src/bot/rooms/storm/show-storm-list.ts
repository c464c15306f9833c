import type { ActionStore } from '../../actions/action-store.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { SlackUserId, StormId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { listName } from '../lists/list-rows.ts';
import { followView, refreshIfOld } from '../open-views/follow-view.ts';
import type { OpenViewStore } from '../open-views/open-views.ts';
import { readStormList } from './read-storm-list.ts';
import { stormWords } from './storm-list.ts';
import type { StormStore } from './storms.ts';

/** What this room needs beside what all listeners share. */
export type StormDeps = ListenerDeps<{
  readonly storms: StormStore;
  readonly openViews: OpenViewStore;
  readonly actions: Pick<ActionStore, 'acknowledgedTogether'>;
}>;

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
  deps: Pick<StormDeps, 'api' | 'store' | 'now'>,
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
