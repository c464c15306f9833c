import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { SlackUserId } from '../domain/identifiers.ts';
import type { ShownIn } from '../domain/open-view.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { followView } from '../listeners/follow-view.ts';

/**
 * Registers a list for refreshes before it is shown. Stores its incidents first, because refreshes use stored data.
 *
 * @param asOf when the incidents were read
 * @returns until when it is refreshed; null: it is not
 */
export async function followList(
  deps: ListenerDeps,
  { name, slackUserId, shownIn }: { name: string; slackUserId: SlackUserId; shownIn: ShownIn },
  incidents: readonly Snapshot[],
  asOf: Date,
): Promise<Date | null> {
  const incidentIds = incidents.map(({ id }) => id);
  const known = await deps.store.incidents.findAll(incidentIds);
  let isDue = false;
  for (const incident of incidents.filter((each) => !isSameState(each, known.get(each.id)))) {
    const stored = await deps.store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
    isDue ||= stored.known !== null && !isSameState(incident, stored.known.incident); // it has changed since
  }
  return followView(deps, { kind: 'list', slackUserId, shownIn }, { what: name, incidentIds, isDue });
}

function isSameState(one: Snapshot, other: Snapshot | undefined): boolean {
  return other !== undefined && one.status === other.status && isAcknowledged(one) === isAcknowledged(other);
}
