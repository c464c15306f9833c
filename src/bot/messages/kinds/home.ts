import type { Logger } from 'pino';
import { deleteHome } from '../../store/homes.ts';
import type { Store } from '../../store/store.ts';
import { homeForOthers, homeTab, SHOWN_IN_HOME } from '../../views/home.ts';
import type { MessageKind } from '../kind.ts';

/** Minimum time between two changes, because the state of incidents changes constantly. */
const PUBLISH_EVERY_MS = 20_000;

/** The Home tab of a person who has opened it. `views.publish` replaces it, so it needs no search for earlier attempts. */
export function createHomeKind(deps: {
  store: Pick<Store, 'homes' | 'installation' | 'people' | 'rules'>;
  logger: Logger;
}): MessageKind {
  const { store, logger } = deps;
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 5_000,

    async render({ subject: slackUserId }) {
      const person = await store.people.find(slackUserId);
      if (person?.standing !== 'member') {
        return { content: homeForOthers(person?.standing ?? null), restMs: PUBLISH_EVERY_MS };
      }
      const [incidents, rules, staleSince] = await Promise.all([
        store.homes.incidents(person.name, SHOWN_IN_HOME),
        store.rules.list(),
        store.installation.staleSince(),
      ]);
      const mine = rules.filter(({ createdBy }) => createdBy === slackUserId);
      return { content: homeTab({ ...incidents, rules: mine, staleSince }), restMs: PUBLISH_EVERY_MS };
    },

    giveUp(home, error) {
      logger.warn({ slackUserId: home.subject, reason: error }, 'Slack refuses the Home tab of a person; giving up');
      return Promise.resolve(deleteHome(home));
    },
  };
}
