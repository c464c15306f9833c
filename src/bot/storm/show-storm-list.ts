import type { SlackUserId, StormId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { followView } from '../listeners/follow-view.ts';
import { listName } from '../views/list-rows.ts';
import { readStormList, type StormListPage } from './read-storm-list.ts';
import { stormWords } from './storm-list.ts';

interface Shown {
  readonly stormId: StormId;
  readonly offset: number;
  readonly viewId: string;
  readonly slackUserId: SlackUserId;
}

/** Shows a page of a storm in the modal that is open, and refreshes it when one of its incidents changes. */
export async function updateStormList(
  deps: Pick<ListenerDeps, 'api' | 'store' | 'now'>,
  shown: Shown,
  notice: SlackMessage | null = null,
): Promise<void> {
  const page = await readStormList(deps, shown.stormId, shown.offset);
  if (page !== null) {
    const refreshedUntil = await followStormList(deps, shown, page);
    await deps.api.views.update({ view_id: shown.viewId, view: page.modal(deps.now(), refreshedUntil, notice) });
  }
}

/** @returns until when it is refreshed */
export async function followStormList(
  deps: Pick<ListenerDeps, 'store' | 'now'>,
  { stormId, offset, viewId, slackUserId }: Shown,
  { incidents }: StormListPage,
): Promise<Date | null> {
  const shownIn = { viewId, responseUrl: null, channelId: null };
  const what = listName(offset, stormWords(stormId));
  return followView(deps, { kind: 'list', slackUserId, shownIn }, { what, incidentIds: incidents.map(({ id }) => id) });
}
