import type { ModalView } from '@slack/types';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { StormId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { STORM_PAGE_SIZE, stormList } from './storm-list.ts';
import type { StormStore } from './storms.ts';

export interface StormListPage {
  readonly incidents: readonly Snapshot[];
  /** @param refreshedUntil null: only a click changes it */
  modal(asOf: Date, refreshedUntil: Date | null, notice?: SlackMessage | null): ModalView;
}

/** One page of a storm; null: the storm is not known. */
export async function readStormList(
  { store }: { readonly store: { readonly incidents: IncidentStore; readonly storms: StormStore } },
  stormId: StormId,
  offset: number,
): Promise<StormListPage | null> {
  if ((await store.storms.find(stormId)) === null) {
    return null;
  }
  const [ids, total] = await Promise.all([
    store.storms.members(stormId, { offset, limit: STORM_PAGE_SIZE }),
    store.storms.countMembers(stormId),
  ]);
  const known = await store.incidents.findAll(ids);
  const incidents = ids.flatMap((id) => known.get(id) ?? []);
  const people = await store.incidents.peopleIn(incidents.map(({ id }) => id));
  return {
    incidents,
    modal: (asOf, refreshedUntil, notice = null) =>
      stormList({ stormId, incidents, offset, total, asOf, refreshedUntil, people }, notice),
  };
}
