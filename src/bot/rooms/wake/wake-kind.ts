import { sql } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { keepEffects } from '../../../effects/new-effects.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { NameWaiting } from '../../actions/definition.ts';
import { inline } from '../../blocks/mrkdwn.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { heldShortly } from '../../messages/confirmed-by-poll.ts';
import { redraw } from '../../messages/due.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { deleteMessage, type Writes } from '../../messages/message-store.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import { report } from './report.ts';
import { wakeValue } from './wake-button.ts';
import { WAKE_DATA } from './wake-messages.ts';
import { overWords, wakeMessage } from './wake-view.ts';

/** Somebody waits for it, and a message that rings is better than none. */
const LOOK_UP_MS = 1_000;
const WORDS_LENGTH = 300;

/** Times are in seconds. Slack's types lack half of it. */
const Dnd = z.object({
  dnd_enabled: z.boolean().default(false),
  next_dnd_start_ts: z.number().default(0),
  next_dnd_end_ts: z.number().default(0),
  snooze_enabled: z.boolean().default(false),
  snooze_endtime: z.number().default(0),
});

/** A direct message that wakes somebody. The service learns what became of it in the same transaction. */
export function createWakeKind(deps: {
  store: { readonly incidents: IncidentStore };
  api: Pick<SlackApi, 'dnd'>;
  nameWaiting: NameWaiting;
  logger: Logger;
  now: () => Date;
}): MessageKind<'wake'> {
  const { store, api, nameWaiting, logger, now } = deps;

  /** Slack shows messages in Do Not Disturb, but rings for none. */
  async function isDisturbing(slackUserId: SlackUserId): Promise<boolean> {
    try {
      const dnd = Dnd.parse(await withTimeout(LOOK_UP_MS, () => api.dnd.info({ user: slackUserId })));
      const seconds = now().getTime() / 1_000;
      const isNight = dnd.dnd_enabled && dnd.next_dnd_start_ts <= seconds && seconds < dnd.next_dnd_end_ts;
      return isNight || (dnd.snooze_enabled && seconds < dnd.snooze_endtime);
    } catch (error) {
      logger.info({ slackUserId, reason: slackErrorCode(error) }, 'Do Not Disturb could not be read');
      return false;
    }
  }

  /** A message that is found once it is over rang for somebody, and says that it is over. */
  function afterwards(attemptId: string, pageId: string | null): Writes {
    return async (tx) => {
      await keepEffects(tx, [report({ pageId, attemptId, state: 'accepted' })]);
      await redraw(sql<boolean>`kind = 'wake' and subject = ${attemptId}`, URGENCY.person).execute(tx);
    };
  }

  return {
    // The row stays, so that the same attempt is not posted twice.
    lifecycle: 'kept true',
    shownAs: { subjectField: 'attempt' },
    data: WAKE_DATA,
    shortestRetryMs: 1_000,

    async render({ subject: attemptId, placeId: slackUserId, data, ts, attempt }) {
      const { pageId, incidentIds, title, lines, ended = null } = data;
      const [first, ...others] = incidentIds;
      const [known, rest] = await Promise.all([
        first === undefined ? null : store.incidents.find(first),
        store.incidents.findAll(others),
      ]);
      const over = (known && overWords(known, now())) ?? (ended && inline(ended, WORDS_LENGTH));
      if (ts === null && over !== null) {
        return attempt === null ? null : { ifPosted: afterwards(attemptId, pageId), ...heldShortly(now()) };
      }
      const state = ts === null && (await isDisturbing(slackUserId)) ? ('failed' as const) : ('accepted' as const);
      const detail = state === 'failed' ? 'the person is in Do Not Disturb' : undefined;
      return {
        content: wakeMessage({
          title,
          lines,
          card: known && { ...known, waiting: nameWaiting(known) },
          others: [...rest.values()],
          over,
          answer: wakeValue(pageId, attemptId),
        }),
        also: () => async (tx) => {
          if (ts === null) {
            await keepEffects(tx, [report({ pageId, attemptId, state, detail })]);
          }
        },
      };
    },

    giveUp(message, error) {
      const { subject: attemptId, data, ts } = message;
      if (ts !== null) {
        return Promise.resolve(null); // they were told; what it says is tried again
      }
      const refused = report({ pageId: data.pageId, attemptId, state: 'failed', detail: `Slack: ${error}` });
      return Promise.resolve(async (tx, read) => {
        await keepEffects(tx, [refused]);
        await deleteMessage(message)(tx, read);
      });
    },
  };
}
