import { readingModal } from '../../blocks/reading-modal.ts';
import type { Answer } from '../../listeners/answering.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { ListOrigin } from '../act/resolve-modal.ts';
import { updateStormList } from '../storm/show-storm-list.ts';
import { stormOf } from '../storm/storm-list.ts';
import { parseListName } from './list-rows.ts';
import { parseList } from './parse-list.ts';
import type { ListsDeps } from './show.ts';
import { answerList, type WantedList } from './show.ts';

/**
 * Reads a list again after an action and replaces it where it is shown. The page that the person turns to meanwhile wins. A
 * list that cannot be replaced says from when it is and has Refresh.
 *
 * @param notice shown above a list in a modal; below a message, the answer says the same
 */
export async function replaceList(
  deps: ListsDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  notice: SlackMessage | null = null,
): Promise<void> {
  const shown = () => deps.store.openViews.findWhat(origin);
  const name = (await shown()) ?? origin.name;
  const isTurned = async () => ((await shown()) ?? name) !== name;
  await drawList(deps, { ...origin, name }, slackUserId, notice, isTurned);
}

/** Shows the page of that name at its origin. */
export function turnList(deps: ListsDeps, origin: ListOrigin, slackUserId: SlackUserId): Promise<void> {
  return drawList(deps, origin, slackUserId, null);
}

/** In an ephemeral message, through its `response_url`, which Slack accepts five times within 30 minutes, or in a modal. */
async function drawList(
  deps: ListsDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  notice: SlackMessage | null,
  isTurned?: WantedList['isTurned'],
): Promise<void> {
  const { offset, words } = parseListName(origin.name);
  const { viewId, responseUrl } = origin;
  const stormId = stormOf(words);
  try {
    if (stormId !== null && viewId !== null) {
      await updateStormList(deps, { stormId, offset, viewId, slackUserId }, notice);
    } else if (viewId !== null) {
      await answerNamedList(deps, origin, slackUserId, showIn(deps, viewId), isTurned);
    } else if (responseUrl !== null) {
      await answerNamedList(deps, origin, slackUserId, replaceIn(deps, responseUrl), isTurned);
    }
  } catch (err) {
    deps.logger.warn({ err, reason: slackErrorCode(err) }, 'a list could not be replaced; it says from when it is');
  }
}

/** Answers with the list of that name, which is then shown at its origin. */
export async function answerNamedList(
  deps: ListsDeps,
  origin: ListOrigin,
  slackUserId: SlackUserId,
  answer: Answer,
  isTurned: NonNullable<WantedList['isTurned']> = () => Promise.resolve(false),
): Promise<void> {
  const { offset, word, filter } = parseList(origin.name);
  await answerList(deps, { word, filter, slackUserId, shownIn: origin, isTurned }, offset, answer);
}

/** Shows a list in the modal that is open. */
export function showIn({ api }: Pick<ListsDeps, 'api'>, viewId: string): Answer {
  return async ({ blocks }) => {
    await api.views.update({ view_id: viewId, view: readingModal('Incidents', blocks) });
  };
}

export function replaceIn({ respondTo }: Pick<ListsDeps, 'respondTo'>, responseUrl: string): Answer {
  return (message) => respondTo(responseUrl, { ...message, response_type: 'ephemeral', replace_original: true });
}
