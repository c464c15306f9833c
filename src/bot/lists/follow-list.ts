import type { SlackUserId } from '../domain/identifiers.ts';
import type { ShownIn } from '../domain/open-view.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { followView, isSameState, refreshIfOld } from '../listeners/follow-view.ts';

/**
 * Registers a list for refreshes before it is shown. Stores its incidents first, because refreshes use stored data.
 *
 * @param asOf when the incidents were read
 * @returns until when it is refreshed; null: it is not
 */
export async function followList(
  deps: Pick<ListenerDeps, 'store' | 'now'>,
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
