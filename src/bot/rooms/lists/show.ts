import { closest } from '../../../runtime/closest.ts';
import type { NameWaiting } from '../../actions/definition.ts';
import type { Freshness } from '../../incident/freshness.ts';
import type { IncidentFilter } from '../../incident/incident-filter.ts';
import type { LabelNames } from '../../incident/label-names.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { freshFields } from '../../incident/snapshot.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Answer } from '../../listeners/answering.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { failedRead, failedReadOf, isOutage } from '../../listeners/failed-read.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import { askerOf } from '../../slack/person.ts';
import type { ActDeps } from '../act/resolve-form.ts';
import type { ShownIn } from '../open-views/open-view.ts';
import type { StormDeps } from '../storm/show-storm-list.ts';
import { followList } from './follow-list.ts';
import { incidentDetails } from './incident-details.ts';
import { closedList, incidentList, type ListPage, openListName } from './incident-list.ts';
import { readClosedPage, readListPage, readStoredPage } from './list-page.ts';

/** What this room needs beside what all listeners share. */
export type ListsDeps = StormDeps &
  ActDeps &
  ListenerDeps<{ readonly labelNames: LabelNames; readonly freshness: Pick<Freshness, 'answeredAt'> }> & {
    readonly nameWaiting: NameWaiting;
    /** Who is on call for an incident, in lines; none where the service does not say. */
    readonly readOnCall: { lines(incident: Snapshot): Promise<readonly string[]> };
  };

const DAY_MS = 86_400_000;
/** Names that a mistyped one is compared with. */
const MOST_NAMES = 200;

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
  deps: ListsDeps,
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
    const meant = page.incidents.length === 0 ? await meantFilter(deps, filter) : null;
    const people = await deps.store.incidents.peopleIn(page.incidents.map(({ id }) => id));
    if (await isTurned()) {
      return;
    }
    if (word === 'closed') {
      return await answer(closedList({ asOf, ...page, people, meant }));
    }
    const list: ListPage = { asOf, ...page, people, meant };
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

/** A filter that has no name that is known, with the closest that is: `service:payments` for `service:paymets`. */
async function meantFilter(
  { store }: Pick<ListsDeps, 'store'>,
  { service, labels }: IncidentFilter,
): Promise<string | null> {
  const services = service === null ? [] : await store.serviceNames.matching('', MOST_NAMES);
  if (service !== null && !services.some((name) => name.toLowerCase() === service.toLowerCase())) {
    const meant = closest(service, services);
    return meant === null ? null : `service:${meant}`;
  }
  const known = (labels ?? []).length === 0 ? [] : await store.labelNames.matching('', MOST_NAMES);
  const typo = labels?.find((label) => !known.includes(label));
  return typo === undefined ? null : closest(typo, known);
}

export async function answerDetails(deps: ListsDeps, incidentId: IncidentId, answer: Answer): Promise<void> {
  const asOf = deps.now();
  const { traceUrl } = deps;
  try {
    const incident = await deps.service.getIncident(incidentId).catch(async (error: unknown) => {
      const staleSince = await outageSince(deps, error);
      const stored = await deps.store.incidents.find(incidentId);
      if (stored === null) {
        throw error;
      }
      await answer(incidentDetails({ ...stored, waiting: deps.nameWaiting(stored), traceUrl }, staleSince));
      return null;
    });
    if (incident === null) {
      return;
    }
    const { known } = await deps.store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
    const shown = { ...incident, ...known?.incident, ...freshFields(incident) };
    const onCall = await deps.readOnCall.lines(shown);
    const waiting = deps.nameWaiting({ incident: shown, waiting: known?.waiting ?? [] });
    await answer(incidentDetails({ ...known, incident: shown, waiting, traceUrl, onCall }));
  } catch (error) {
    await answer(await failedReadOf(deps, error, incidentId, 'show'));
  }
}

/** When the service last responded. @throws `error` if it is no outage, or nothing was ever read */
async function outageSince({ store }: Pick<ListsDeps, 'store'>, error: unknown): Promise<Date> {
  const since = isOutage(error) ? await store.freshness.answeredAt() : null;
  if (since === null) {
    throw error;
  }
  return since;
}
