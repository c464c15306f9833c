import type { KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import type { Freshness } from '../../incident/freshness.ts';
import { heldShortly } from '../../messages/confirmed-by-poll.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { NOTHING_STORED } from '../../messages/kind.ts';
import type { Groups } from '../../slack/groups.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { People } from '../../slack/people.ts';
import type { PeopleStore } from '../../slack/people-store.ts';
import { askerOf, type Person } from '../../slack/person.ts';
import type { RuleStore } from '../rules/rules.ts';
import { homeForOthers, homeTab, SHOWN_IN_HOME } from './home-view.ts';
import type { HomeStore } from './homes.ts';
import { deleteHome } from './homes.ts';

/** Minimum time between two changes, because the state of incidents changes constantly. */
const PUBLISH_EVERY_MS = 20_000;
/** Placeholder in comparisons: a new time of reading alone is not worth an edit. */
const NO_TIME = new Date(0);

/** The Home tab of a person who has opened it. `views.publish` replaces it, so it needs no search for earlier attempts. */
export function createHomeKind(deps: {
  store: {
    readonly homes: HomeStore;
    readonly freshness: Freshness;
    readonly people: PeopleStore;
    readonly rules: RuleStore;
  };
  people: Pick<People, 'find'>;
  groups: Pick<Groups, 'ofMember'>;
  /** Who is on call, for a reader. */
  onCall: (slackUserId: SlackUserId) => Promise<readonly KnownBlock[]>;
  logger: Logger;
  now: () => Date;
}): MessageKind<'home'> {
  const { store, people, groups, logger, now } = deps;

  /** The process that got the event of the opening may have died before it stored the person. */
  async function findPerson(slackUserId: SlackUserId): Promise<Person | null> {
    const stored = await store.people.find(slackUserId);
    if (stored !== null) {
      return stored;
    }
    const found = await people.find(slackUserId);
    return found.standing === 'unknown' ? null : found;
  }

  return {
    lifecycle: 'kept true',
    shownAs: 'home tab',
    data: NOTHING_STORED,
    shortestRetryMs: 5_000,

    async render({ subject: slackUserId, ts }) {
      const person = await findPerson(slackUserId);
      if (person === null && ts === null) {
        return heldShortly(now());
      }
      if (person?.standing !== 'member') {
        return { content: homeForOthers(person?.standing ?? null), restMs: PUBLISH_EVERY_MS };
      }
      const [incidents, rules, staleSince, onCall] = await Promise.all([
        store.homes.incidents(askerOf(slackUserId, person, await groups.ofMember(slackUserId)), SHOWN_IN_HOME),
        store.rules.list(),
        store.freshness.staleSince(),
        deps.onCall(slackUserId),
      ]);
      const mine = rules.filter(({ createdBy }) => createdBy === slackUserId);
      const shown = { ...incidents, rules: mine, staleSince, onCall };
      return {
        content: homeTab({ ...shown, asOf: now() }),
        comparedAs: homeTab({ ...shown, asOf: NO_TIME }),
        restMs: PUBLISH_EVERY_MS,
      };
    },

    giveUp(home, error) {
      logger.warn({ slackUserId: home.subject, reason: error }, 'Slack refuses the Home tab of a person; giving up');
      return Promise.resolve(deleteHome(home));
    },
  };
}
