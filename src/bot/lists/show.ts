import type { IncidentId, SlackUserId } from '../domain/identifiers.ts';
import type { IncidentFilter } from '../domain/incident-filter.ts';
import type { ShownIn } from '../domain/open-view.ts';
import { askerOf } from '../domain/person.ts';
import { freshFields } from '../domain/snapshot.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { Answer } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { failedRead, failedReadOf, isOutage } from '../listeners/failed-read.ts';
import { followList } from './follow-list.ts';
import { incidentDetails } from './incident-details.ts';
import { closedList, incidentList, type ListPage, openListName } from './incident-list.ts';
import { readClosedPage, readListPage, readStoredPage } from './list-page.ts';

const DAY_MS = 86_400_000;

export interface WantedList {
  /** `mine`: of the open incidents only those that the person acknowledged, leads or communicates */
  readonly word: 'open' | 'mine' | 'closed';
  readonly filter: IncidentFilter;
  readonly slackUserId: SlackUserId;
  /** Where the answer is shown, so that it is refreshed there. */
  readonly shownIn: ShownIn;
  /** Whether the person has turned to another page since, which is then left alone. */
  readonly isTurned?: () => Promise<boolean>;
}

export async function answerList(
  deps: ListenerDeps,
  { word, filter, slackUserId, shownIn, isTurned = () => Promise.resolve(false) }: WantedList,
  offset: number,
  answer: Answer,
): Promise<void> {
  const acknowledgedBy =
    word === 'mine'
      ? askerOf(slackUserId, await deps.people.find(slackUserId), await deps.groups.ofMember(slackUserId))
      : null;
  const query = { ...filter, acknowledgedBy };
  const asOf = deps.now();
  try {
    const since = new Date(asOf.getTime() - (filter.periodMs ?? DAY_MS));
    const read =
      word === 'closed' ? readClosedPage(deps, { offset, query, since }) : readListPage(deps, offset, asOf, query);
    const page = await read.catch(async (error: unknown) => {
      if (word === 'closed') {
        throw error; // the stored data lacks incidents that closed during the outage
      }
      const staleSince = await outageSince(deps, error);
      return { ...(await readStoredPage(deps, offset, asOf, query)), staleSince, asOf: staleSince };
    });
    const people = await deps.store.incidents.peopleIn(page.incidents.map(({ id }) => id));
    if (await isTurned()) {
      return;
    }
    if (word === 'closed') {
      return await answer(closedList({ asOf, ...page, people }));
    }
    const list: ListPage = { asOf, ...page, people };
    const refreshedUntil = await followList(
      deps,
      { slackUserId, shownIn, name: openListName(list) },
      list.incidents,
      asOf,
    );
    await answer(incidentList({ ...list, refreshedUntil }));
    await deps.store.openViews.confirm(shownIn, openListName(list));
  } catch (error) {
    await answer(failedRead(deps, error, null));
  }
}

export async function answerDetails(deps: ListenerDeps, incidentId: IncidentId, answer: Answer): Promise<void> {
  const asOf = deps.now();
  const { traceUrl } = deps;
  try {
    const incident = await deps.service.getIncident(incidentId).catch(async (error: unknown) => {
      const staleSince = await outageSince(deps, error);
      const stored = await deps.store.incidents.find(incidentId);
      if (stored === null) {
        throw error;
      }
      await answer(incidentDetails({ ...stored, traceUrl }, staleSince));
      return null;
    });
    if (incident === null) {
      return;
    }
    const { known } = await deps.store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
    const shown = { ...incident, ...known?.incident, ...freshFields(incident) };
    await answer(incidentDetails({ ...known, incident: shown, traceUrl }));
  } catch (error) {
    await answer(await failedReadOf(deps, error, incidentId, 'show'));
  }
}

/** When the service last responded. @throws `error` if it is no outage, or nothing was ever read */
async function outageSince({ store }: Pick<ListenerDeps, 'store'>, error: unknown): Promise<Date> {
  const since = isOutage(error) ? await store.installation.answeredAt() : null;
  if (since === null) {
    throw error;
  }
  return since;
}
