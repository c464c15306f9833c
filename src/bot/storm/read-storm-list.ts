import type { StormId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { STORM_PAGE_SIZE, stormList } from './storm-list.ts';

/** One page of a storm; null: the storm is not known. */
export async function readStormList(
  { store, now }: Pick<ListenerDeps, 'store' | 'now'>,
  stormId: StormId,
  offset: number,
  notice: SlackMessage | null = null,
) {
  if ((await store.storms.find(stormId)) === null) {
    return null;
  }
  const asOf = now();
  const [ids, total] = await Promise.all([
    store.storms.members(stormId, { offset, limit: STORM_PAGE_SIZE }),
    store.storms.countMembers(stormId),
  ]);
  const known = await store.incidents.findAll(ids);
  const incidents = ids.flatMap((id) => known.get(id) ?? []);
  const people = await store.incidents.peopleIn(incidents.map(({ id }) => id));
  return stormList({ stormId, incidents, offset, total, asOf, people }, notice);
}
