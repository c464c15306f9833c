import type { Action } from '../../actions/action.ts';
import { type Answer, answering, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, type Click, onClick, onFormClick, toClick } from '../../listeners/buttons.ts';
import { hadNoEffect } from '../../slack/errors.ts';
import { openResolveModal } from '../act/open-resolve-modal.ts';
import type { ListOrigin } from '../act/resolve-modal.ts';
import { endOfSnooze } from '../snooze/snooze.ts';
import { detailsModal } from './incident-details.ts';
import { parseChoice, parseToAcknowledge } from './list-rows.ts';
import { answerNamedList, replaceIn, replaceList, turnList } from './lists.ts';
import type { ListsDeps } from './show.ts';
import { answerDetails } from './show.ts';

/** The only snooze in a row's menu, which has no room for more. The card and the command offer longer ones. */
const ROW_SNOOZE = '1h';

/** More, Back and Refresh: another page, or the same one, in place of the list. */
export function createListListener(deps: ListsDeps) {
  return onClick(deps, async (click, answer) => {
    const { value, slackUserId, responseUrl } = click;
    const origin = placeOf(click, value);
    if (click.view !== null || responseUrl === null) {
      return turnList(deps, origin, slackUserId);
    }
    const replace = replaceIn(deps, responseUrl);
    await answerNamedList(deps, origin, slackUserId, (list) =>
      replace(list).catch((error: unknown) => (hadNoEffect(error) ? answer(list) : undefined)),
    );
  });
}

/** The menu of a row. Its block has the id of the incident. */
export function createRowListener(deps: ListsDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const { choice, list } = parseChoice(click.value) ?? { choice: null, list: null };
    switch (choice) {
      case 'acknowledge':
      case 'unsnooze':
        return actOnThese(deps, args, click, { act: { kind: choice }, ids: [click.blockId], list });
      case 'snooze': {
        const until = endOfSnooze(ROW_SNOOZE, 'UTC', deps.now());
        return actOnThese(deps, args, click, {
          act: { kind: choice, until, reason: null },
          ids: [click.blockId],
          list,
        });
      }
      case 'resolve':
        return onFormClick(deps, (_click, answer, onOpen) => resolve(deps, click, list, answer, onOpen))(args);
      case 'show':
        return onClick(deps, show(deps))(args);
      case null:
        return onClick(deps, (_click, answer) => answer(outdatedControl()))(args);
      default:
        return choice satisfies never;
    }
  };
}

/** "Acknowledge all": what the list shows, not what was opened since. */
export function createAcknowledgeListListener(deps: ListsDeps) {
  return (args: ButtonArgs) => {
    const click = toClick(args);
    const { ids, list } = parseToAcknowledge(click.value) ?? { ids: [], list: null };
    return actOnThese(deps, args, click, { act: { kind: 'acknowledge' }, ids, list });
  };
}

type Act =
  | { readonly kind: 'acknowledge' | 'unsnooze' }
  | { readonly kind: 'snooze'; readonly until: Date; readonly reason: string | null };

/** Stores all actions before the first is sent. Then replaces the list, and answers with the outcomes. */
async function actOnThese(
  deps: ListsDeps,
  { ack, respond }: ButtonArgs,
  click: Click,
  { act, ids, list }: { act: Act; ids: readonly string[]; list: string | null },
): Promise<void> {
  const { triggerId, slackUserId, channelId, view } = click;
  const kept = await Promise.all(
    ids.map((incidentId) => {
      const source = `${triggerId} ${incidentId}`;
      return deps.actions.keep({ ...act, source, incidentId, slackUserId, channelId, origin: originOf(click) });
    }),
  );
  await ack();
  const actions = kept.flatMap((each): Action[] => (each.kind === 'new' ? [each.action] : []));
  if (actions.length === 0) {
    return; // a repeated delivery of the same click
  }
  await answering(deps, click, respond, (answer) => {
    // Replaces the list before it answers, so that the person sees it change first.
    let waiting = list;
    return sendAndAnswer(deps, actions, async (outcome, otherwise) => {
      const origin = waiting === null ? null : placeOf(click, waiting);
      waiting = null;
      await (origin === null ? undefined : replaceList(deps, origin, slackUserId, outcome));
      await (origin !== null && view !== null ? undefined : answer(outcome, otherwise));
    });
  });
}

async function resolve(
  deps: ListsDeps,
  click: Click,
  list: string | null,
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  const { blockId: incidentId, channelId, triggerId, view } = click;
  const origin = list === null ? null : placeOf(click, list);
  await openResolveModal(deps, { incidentId, channelId, triggerId, list: origin }, answer, onOpen, view !== null);
}

/** Shows the details below a list in a message, or on top of a list in a modal. */
function show(deps: ListsDeps) {
  return ({ blockId, view, triggerId }: Click, answer: Answer): Promise<void> =>
    answerDetails(deps, blockId, async (details) => {
      await (view === null
        ? answer(details)
        : deps.api.views.push({ trigger_id: triggerId, view: detailsModal(details) }));
    });
}

function placeOf({ view, responseUrl, channelId, messageTs }: Click, name: string): ListOrigin {
  return { name, viewId: view?.id ?? null, responseUrl, channelId, messageTs };
}
