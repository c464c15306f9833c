import { plural } from '../../incident/phrase.ts';
import type { Action, Outcome } from '../domain/action.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import { type Answer, answering, originOf } from '../listeners/answering.ts';
import { type ButtonArgs, type Click, onClick, toClick } from '../listeners/buttons.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { openForm } from '../listeners/open-form.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import { notOpened, answer as sentence } from '../views/answers.ts';
import { rootService } from '../views/incident-words.ts';
import { readingModal } from '../views/reading-modal.ts';
import { updateStormList } from './show-storm-list.ts';
import { parseStormValue, stormReceipt } from './storm-card.ts';
import { STORM_LIST_TITLE } from './storm-list.ts';

/** Upper bound for one click; the button can be pressed again. */
const MOST_AT_ONCE = 200;
const AT_THE_SAME_TIME = 4;

const LOADING = readingModal(STORM_LIST_TITLE, '⏳ Loading…');
const OUTDATED = 'That storm is no longer known. `/incidents open` lists the open incidents.';

export function createStormAcknowledgeListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const { stormId, rest: service } = parseStormValue(click.value) ?? { stormId: null, rest: '' };
    const ids = stormId === null ? null : await deps.store.storms.unacknowledged(stormId, service, MOST_AT_ONCE);
    const actions = await keepAll(deps, click, ids ?? []);
    await args.ack();
    if (actions.length === 0 && ids?.length !== 0 && ids !== null) {
      return; // a repeated delivery of the same click
    }
    await answering(deps, click, args.respond, (answer) =>
      ids === null ? answer(sentence(OUTDATED)) : acknowledgeAll(deps, service, actions, answer),
    );
  };
}

/** Stores all actions before the first is sent, so that none is lost. */
async function keepAll(deps: ListenerDeps, click: Click, incidentIds: readonly IncidentId[]): Promise<Kept[]> {
  const { triggerId, slackUserId, channelId } = click;
  const kept = await Promise.all(
    incidentIds.map(async (incidentId) => {
      const source = `${triggerId} ${incidentId}`;
      const stored = await deps.actions.keep({
        source,
        kind: 'acknowledge',
        incidentId,
        slackUserId,
        channelId,
        origin: originOf(click),
      });
      return stored.kind === 'new' ? [{ incidentId, action: stored.action }] : [];
    }),
  );
  return kept.flat();
}

interface Kept {
  readonly incidentId: IncidentId;
  readonly action: Action;
}

export function createStormListListener(deps: ListenerDeps) {
  return onClick(deps, (click, answer) => showPage(deps, click, answer));
}

async function acknowledgeAll(
  deps: ListenerDeps,
  service: string,
  actions: readonly Kept[],
  answer: Answer,
): Promise<void> {
  const name = rootService({ root_service: service });
  if (actions.length === 0) {
    return answer(sentence(`There's nothing left to acknowledge for ${name}, so nothing was changed.`));
  }
  await answer(sentence(`⏳ Acknowledging ${plural(actions.length, 'incident')} of ${name}…`));
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
      if (outcome === null) {
        continue; // another process has taken it over, and reports the outcome
      }
      ends[outcome.kind].push(incidentId);
      if (outcome.kind !== 'kept') {
        settled.push(action);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_THE_SAME_TIME }, work));
  const known = await deps.store.incidents.findAll(actions.map(({ incidentId }) => incidentId));
  await answer(sentence(stormReceipt(service, { ...ends, already: [...ends.already, ...ends.void] }, known)));
  await deps.actions.markAnswered(settled);
}

async function showPage(deps: ListenerDeps, click: Click, answer: Answer): Promise<void> {
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
