import type { Snapshot } from '../../incident/snapshot.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import { type FollowDeps, followView, isSameState, refreshIfOld } from '../open-views/follow-view.ts';
import type { ShownIn } from '../open-views/open-view.ts';

/**
 * Registers a list for refreshes before it is shown. Stores its incidents first, because refreshes use stored data.
 *
 * @param asOf when the incidents were read
 * @returns until when it is refreshed; null: it is not
 */
export async function followList(
  deps: FollowDeps,
  { name, slackUserId, shownIn }: { name: string; slackUserId: SlackUserId; shownIn: ShownIn },
  incidents: readonly Snapshot[],
  asOf: Date,
): Promise<Date | null> {
  const incidentIds = incidents.map(({ id }) => id);
  const place = { kind: 'list', slackUserId, shownIn } as const;
  const known = await deps.store.incidents.findAll(incidentIds);
  for (const incident of incidents.filter((each) => !isSameState(each, known.get(each.id)))) {
    await deps.store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
  }
  const content = { what: name, incidentIds };
  const until = await followView(deps, place, content);
  await refreshIfOld(deps, place, content, incidents);
  return until;
}
