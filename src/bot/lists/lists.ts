import type { SlackUserId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Answer } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { slackErrorCode } from '../slack/errors.ts';
import { updateStormList } from '../storm/show-storm-list.ts';
import { stormOf } from '../storm/storm-list.ts';
import { parseListName } from '../views/list-rows.ts';
import { readingModal } from '../views/reading-modal.ts';
import type { ListOrigin } from '../views/resolve-modal.ts';
import { parseList } from './parse-list.ts';
import { answerList } from './show.ts';

/**
 * Reads a list again after an action and replaces it where it is shown. A modal keeps the page that it shows by now. A
 * list that cannot be replaced says from when it is and has Refresh.
 *
 * @param notice shown above a list in a modal; below a message, the answer says the same
 */
export async function replaceList(
  deps: ListenerDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  notice: SlackMessage | null = null,
): Promise<void> {
  const shown = origin.viewId === null ? null : await deps.store.openViews.findWhat(origin.viewId);
  await turnList(deps, { ...origin, name: shown ?? origin.name }, slackUserId, notice);
}

/**
 * Shows the list of that name at its origin: an ephemeral message, through its `response_url`, which Slack accepts five
 * times within 30 minutes, or a modal.
 */
export async function turnList(
  deps: ListenerDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  notice: SlackMessage | null = null,
): Promise<void> {
  const { offset, words } = parseListName(origin.name);
  const stormId = stormOf(words);
  try {
    if (stormId !== null && origin.viewId !== null) {
      await updateStormList(deps, { stormId, offset, viewId: origin.viewId, slackUserId }, notice);
    } else if (origin.viewId !== null) {
      await answerNamedList(deps, origin, slackUserId, showIn(deps, origin.viewId));
    } else if (origin.responseUrl !== null) {
      await answerNamedList(deps, origin, slackUserId, replaceIn(deps, origin.responseUrl));
    }
  } catch (err) {
    deps.logger.warn({ err, reason: slackErrorCode(err) }, 'a list could not be replaced; it says from when it is');
  }
}

/** Answers with the list of that name, which is then shown at its origin. */
export async function answerNamedList(
  deps: ListenerDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  answer: Answer,
): Promise<void> {
  const { offset, word, filter } = parseList(origin.name);
  await answerList(deps, { word, filter, slackUserId, shownIn: origin }, offset, answer);
}

/** Shows a list in the modal that is open. */
export function showIn({ api }: Pick<ListenerDeps, 'api'>, viewId: string): Answer {
  return async ({ blocks }) => {
    await api.views.update({ view_id: viewId, view: readingModal('Incidents', blocks) });
  };
}

export function replaceIn({ respondTo }: Pick<ListenerDeps, 'respondTo'>, responseUrl: string): Answer {
  return (message) => respondTo(responseUrl, { ...message, response_type: 'ephemeral', replace_original: true });
}
