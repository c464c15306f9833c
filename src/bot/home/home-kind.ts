import type { Logger } from 'pino';
import type { SlackUserId } from '../domain/identifiers.ts';
import { askerOf, type Person } from '../domain/person.ts';
import { heldShortly } from '../messages/confirmed-by-poll.ts';
import type { MessageKind } from '../messages/kind.ts';
import type { Groups } from '../slack/groups.ts';
import type { People } from '../slack/people.ts';
import { deleteHome } from '../store/homes.ts';
import type { Store } from '../store/store.ts';
import { homeForOthers, homeTab, SHOWN_IN_HOME } from './home-view.ts';

/** Minimum time between two changes, because the state of incidents changes constantly. */
const PUBLISH_EVERY_MS = 20_000;
/** Placeholder in comparisons: a new time of reading alone is not worth an edit. */
const NO_TIME = new Date(0);

/** The Home tab of a person who has opened it. `views.publish` replaces it, so it needs no search for earlier attempts. */
export function createHomeKind(deps: {
  store: Pick<Store, 'homes' | 'installation' | 'people' | 'rules'>;
  people: Pick<People, 'find'>;
  groups: Pick<Groups, 'ofMember'>;
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
    return found.standing === 'member' ? store.people.find(slackUserId) : found; // not stored if Slack did not respond
  }

  return {
    lifecycle: 'kept true',
    shortestRetryMs: 5_000,

    async render({ subject: slackUserId, ts }) {
      const person = await findPerson(slackUserId);
      if (person === null && ts === null) {
        return heldShortly(now());
      }
      if (person?.standing !== 'member') {
        return { content: homeForOthers(person?.standing ?? null), restMs: PUBLISH_EVERY_MS };
      }
      const [incidents, rules, staleSince] = await Promise.all([
        store.homes.incidents(askerOf(slackUserId, person, await groups.ofMember(slackUserId)), SHOWN_IN_HOME),
        store.rules.list(),
        store.installation.staleSince(),
      ]);
      const mine = rules.filter(({ createdBy }) => createdBy === slackUserId);
      const shown = { ...incidents, rules: mine, staleSince };
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
