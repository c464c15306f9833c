import { readingModal } from '../../blocks/reading-modal.ts';
import type { Freshness } from '../../incident/freshness.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { inModal, type MessageKind, type Rendered } from '../../messages/kind.ts';
import { deleteMessage } from '../../messages/message-store.ts';
import type { Groups } from '../../slack/groups.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import type { PeopleStore } from '../../slack/people-store.ts';
import { askerOf } from '../../slack/person.ts';
import { nextRefresh } from '../open-views/open-view.ts';
import { OPEN_VIEW_DATA, recordRefresh } from '../open-views/open-views.ts';
import { readStormList } from '../storm/read-storm-list.ts';
import { stormOf } from '../storm/storm-list.ts';
import type { StormStore } from '../storm/storms.ts';
import { incidentList } from './incident-list.ts';
import { readStoredPage } from './list-page.ts';
import { parseListName } from './list-rows.ts';
import { parseList } from './parse-list.ts';

/** Placeholder in comparisons: a new time of reading alone is not worth an edit. */
const NO_TIME = new Date(0);

interface ListKindDeps {
  readonly store: {
    readonly incidents: IncidentStore;
    readonly freshness: Freshness;
    readonly people: PeopleStore;
    readonly storms: StormStore;
  };
  readonly groups: Pick<Groups, 'ofMember'>;
  readonly now: () => Date;
}

/** The content of a list, still without the time of reading. */
interface Content {
  readonly incidentIds: readonly IncidentId[];
  at(asOf: Date, refreshedUntil: Date | null): Pick<Rendered, 'content' | 'modal'>;
}

/** An open list of incidents, all or those of a storm, that one person sees. It is drawn from stored data. */
export function createListKind({ store, groups, now }: ListKindDeps): MessageKind<'list'> {
  return {
    lifecycle: 'kept true',
    shownAs: 'open view',
    data: OPEN_VIEW_DATA,
    shortestRetryMs: 5_000,

    async render(message) {
      const { data, placeId: slackUserId, ts, failures } = message;
      const refresh = nextRefresh(data, failures, now());
      const list =
        ts === null || refresh === null ? null : await readList({ store, groups }, data.what, slackUserId, now());
      if (list === null || refresh === null) {
        return null;
      }
      const { nextUntil, restMs } = refresh;
      const incidentIds = nextUntil === null ? null : list.incidentIds;
      return {
        ...list.at(now(), nextUntil),
        comparedAs: list.at(NO_TIME, nextUntil && NO_TIME).content,
        restMs,
        also: () => recordRefresh(message, incidentIds),
      };
    },

    giveUp: (message) => Promise.resolve(deleteMessage(message)),
  };
}

/** @returns null: the list is not known any more, or who looks at it */
async function readList(
  { store, groups }: Pick<ListKindDeps, 'store' | 'groups'>,
  name: string,
  slackUserId: SlackUserId,
  now: Date,
): Promise<Content | null> {
  const { offset, words } = parseListName(name);
  const stormId = stormOf(words);
  if (stormId !== null) {
    const storm = await readStormList({ store }, stormId, offset);
    return (
      storm && {
        incidentIds: storm.incidents.map(({ id }) => id),
        at: (asOf, refreshedUntil) => inModal(storm.modal(asOf, refreshedUntil)),
      }
    );
  }
  const { word, filter } = parseList(name);
  const person = word === 'mine' ? await store.people.find(slackUserId) : null;
  if (word === 'closed' || (word === 'mine' && person === null)) {
    return null;
  }
  const page = await readStoredPage({ store }, offset, now, {
    ...filter,
    acknowledgedBy: person && askerOf(slackUserId, person, await groups.ofMember(slackUserId)),
  });
  const incidentIds = page.incidents.map(({ id }) => id);
  const [people, staleSince] = await Promise.all([store.incidents.peopleIn(incidentIds), store.freshness.staleSince()]);
  return {
    incidentIds,
    at(asOf, refreshedUntil) {
      const content = incidentList({ ...page, people, staleSince, asOf, refreshedUntil });
      return { content, modal: readingModal('Incidents', content.blocks) };
    },
  };
}
