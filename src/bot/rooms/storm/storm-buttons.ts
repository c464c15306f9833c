import { plural } from '../../../incident/phrase.ts';
import type { Action, Outcome } from '../../actions/action.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import { readingModal } from '../../blocks/reading-modal.ts';
import { offersAdditions } from '../../incident/incident.ts';
import { type Answer, answering, answerSettled, originOf } from '../../listeners/answering.ts';
import { notOpened } from '../../listeners/answers.ts';
import { type ButtonArgs, type Click, onClick, toClick } from '../../listeners/buttons.ts';
import { openForm } from '../../listeners/open-form.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { ActionId, IncidentId } from '../../slack/identifiers.ts';
import type { StormDeps } from './show-storm-list.ts';
import { updateStormList } from './show-storm-list.ts';
import { ofKey, parseKey, parseStormValue, stormReceipt, withStormUndo } from './storm-card.ts';
import { STORM_LIST_TITLE } from './storm-list.ts';

/** Upper bound for one click; the button can be pressed again. */
const MOST_AT_ONCE = 200;
const AT_THE_SAME_TIME = 4;

const LOADING = readingModal(STORM_LIST_TITLE, '⏳ Loading…');
const OUTDATED = 'That storm is no longer known. `/incidents open` lists the open incidents.';

/** Acknowledges all incidents of a group, or of the storm. */
export function createStormAcknowledgeListener(deps: StormDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const { stormId, rest } = parseStormValue(click.value) ?? { stormId: null, rest: '' };
    const key = parseKey(rest);
    const isKnown = stormId !== null && (await deps.store.storms.find(stormId)) !== null;
    const ids = isKnown ? await deps.store.storms.unacknowledged(stormId, key, MOST_AT_ONCE) : [];
    const requests = ids.map((incidentId) => ({ kind: 'acknowledge', incidentId }) as const);
    const actions = await keepAll(deps, click, requests);
    await args.ack();
    if (actions.length === 0 && ids.length > 0) {
      return; // a repeated delivery of the same click
    }
    await answering(deps, click, args.respond, async (answer) => {
      if (!isKnown) {
        return answer(sentence(OUTDATED));
      }
      if (actions.length === 0) {
        return answer(sentence(`There's nothing left to acknowledge ${ofKey(key)}, so nothing was changed.`));
      }
      await answer(sentence(`⏳ Acknowledging ${plural(actions.length, 'incident')} ${ofKey(key)}…`));
      const { ends, settled, known } = await sendAll(deps, actions);
      const receipt = stormReceipt('acknowledged', ofKey(key), ends, known);
      const isUndoable = ends.done.some((id) => offersAdditions(known.get(id) ?? {}));
      const message = isUndoable ? withStormUndo(receipt, stormId, click.triggerId) : sentence(receipt);
      await answerSettled(deps, settled, message, answer);
    });
  };
}

/** Takes back what one click acknowledged. The service decides of each whether it is too late. */
export function createStormUndoListener(deps: StormDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const source = parseStormValue(click.value)?.rest ?? '';
    const done = source === '' ? [] : await deps.store.actions.acknowledgedTogether(`${source} `, click.slackUserId);
    const requests = done.map(({ incidentId, id }) => ({ kind: 'unacknowledge', incidentId, undoes: id }) as const);
    const actions = await keepAll(deps, click, requests);
    await args.ack();
    if (actions.length === 0 && done.length > 0) {
      return;
    }
    await answering(deps, click, args.respond, async (answer) => {
      if (actions.length === 0) {
        return answer(sentence('It is too late to take that back, so nothing was changed.'));
      }
      const { ends, settled, known } = await sendAll(deps, actions);
      await answerSettled(deps, settled, sentence(stormReceipt('took back', 'of this storm', ends, known)), answer);
    });
  };
}

type Request =
  | { readonly kind: 'acknowledge'; readonly incidentId: IncidentId }
  | { readonly kind: 'unacknowledge'; readonly incidentId: IncidentId; readonly undoes: ActionId };

interface Kept {
  readonly incidentId: IncidentId;
  readonly action: Action;
}

/** Stores all actions before the first is sent, so that none is lost. */
async function keepAll(deps: StormDeps, click: Click, requests: readonly Request[]): Promise<Kept[]> {
  const { triggerId, slackUserId, channelId } = click;
  const kept = await Promise.all(
    requests.map(async (request) => {
      const { incidentId } = request;
      const source = `${triggerId} ${incidentId}`;
      const stored = await deps.actions.keep({ ...request, source, slackUserId, channelId, origin: originOf(click) });
      return stored.kind === 'new' ? [{ incidentId, action: stored.action }] : [];
    }),
  );
  return kept.flat();
}

export function createStormListListener(deps: StormDeps) {
  return onClick(deps, (click, answer) => showPage(deps, click, answer));
}

/** Sends some at the same time. What another process has taken over is reported by that. */
async function sendAll(deps: StormDeps, actions: readonly Kept[]) {
  const waiting = [...actions];
  const settled: Action[] = [];
  const ends: Record<Outcome['kind'], string[]> = { done: [], already: [], asked: [], void: [], kept: [], refused: [] };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { incidentId, action } = next;
      if (ends.kept.length > 0) {
        ends.kept.push(incidentId); // the service is unavailable: the rest is sent with the other pending actions
        continue;
      }
      const outcome = await deps.actions.send(action);
      if (outcome !== null) {
        ends[outcome.kind].push(incidentId);
        settled.push(...(outcome.kind === 'kept' ? [] : [action]));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_THE_SAME_TIME }, work));
  const known = await deps.store.incidents.findAll(actions.map(({ incidentId }) => incidentId));
  return { ends: { ...ends, already: [...ends.already, ...ends.void] }, settled, known };
}

async function showPage(deps: StormDeps, click: Click, answer: Answer): Promise<void> {
  const parsed = parseStormValue(click.value);
  const offset = /^\d{1,6}$/.test(parsed?.rest ?? '') ? Number(parsed?.rest) : 0;
  if (parsed === null || (await deps.store.storms.find(parsed.stormId)) === null) {
    return answer(sentence(OUTDATED));
  }
  const { stormId } = parsed;
  const { slackUserId } = click;
  try {
    const viewId = click.view?.id ?? (await openForm(deps, { triggerId: click.triggerId, modal: LOADING }, answer));
    if (viewId !== null) {
      await updateStormList(deps, { stormId, offset, viewId, slackUserId });
    }
  } catch (error) {
    const failure = classifySlackFailure(error);
    deps.logger.warn({ stormId, reason: failure.error }, 'the list of a storm did not open');
    await answer(notOpened('list', failure));
  }
}
