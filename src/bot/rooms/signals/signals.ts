import type { ModalView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import { answer as sentence } from '../../blocks/answer.ts';
import { ACTIONS } from '../../blocks/ids.ts';
import { type Answer, answeringMembers } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, type Click, onClick, toClick } from '../../listeners/buttons.ts';
import { opensView } from '../../listeners/command-handler.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { IncidentId, SlackUserId } from '../../slack/identifiers.ts';
import { causesMessage, causesModal } from './causes-modal.ts';
import { followSignals } from './follow-signals.ts';
import { SIGNALS_BUTTONS } from './ids.ts';
import type { SignalsDeps } from './read-signals.ts';
import { type LoadedView, loadOrExplain, showLoaded } from './show-loaded.ts';
import { ALL_SIGNALS } from './signal-filter.ts';
import { signalMessage, signalModal } from './signal-modal.ts';
import { parseSignalFilter, parseSignalsContext, type SignalsContext, signalsMessage } from './signals-modal.ts';

const MAX_VIEWS = 1_000;

export const handleSignals = opensView(
  async (deps: SignalsDeps, { references, triggerId, ack, asker: { slackUserId } }, answer) => {
    const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
    const [question] = questions;
    const [incidentId] = ids;
    if (question !== undefined) {
      return answer(whichIncident('signals', question));
    }
    return incidentId === undefined
      ? answer(nothingOpen('show'))
      : openSignals(deps, { incidentId, triggerId, slackUserId }, answer, ack);
  },
);

/** Opens the signals of an incident. @param onOpen acknowledges, once it is open */
export function openSignals(
  deps: SignalsDeps,
  {
    incidentId,
    triggerId,
    slackUserId,
  }: { readonly incidentId: IncidentId; readonly triggerId: string; readonly slackUserId: SlackUserId },
  answer: Answer,
  onOpen?: () => Promise<void>,
): Promise<void> {
  const context = { incidentId, filter: ALL_SIGNALS, offset: 0 };
  const view = signalsView(deps, context, slackUserId, { isFresh: true });
  return showLoaded(
    deps,
    view,
    (opened) => deps.api.views.open({ trigger_id: triggerId, view: opened }),
    answer,
    onOpen,
  );
}

/** The listeners of the button on the card and of everything in the modals. */
export function createSignalListeners(deps: SignalsDeps) {
  /** Slack's `action_ts` of the newest choice, by view id. */
  const newest = new LRUCache<string, string>({ max: MAX_VIEWS });

  /** Redraws the modal with another choice. After several quick choices, only the newest is drawn. */
  async function redraw({ view, actionTs, slackUserId }: Click, context: SignalsContext): Promise<void> {
    if (view === null || actionTs < (newest.get(view.id) ?? '')) {
      return;
    }
    newest.set(view.id, actionTs);
    const content = await loadOrExplain(deps, signalsView(deps, context, slackUserId), view.id);
    const update = (hash?: string) =>
      deps.api.views.update({ view_id: view.id, view: content, ...(hash !== undefined && { hash }) });
    const isNewest = () => newest.get(view.id) === actionTs;
    if (!isNewest()) {
      return;
    }
    try {
      await update(view.hash).catch((error: unknown) => {
        // An earlier choice was drawn after this click, so the hash of the click is out of date.
        if (slackErrorCode(error) !== 'hash_conflict' || !isNewest()) {
          throw error;
        }
        return update();
      });
    } catch (error) {
      deps.logger.info({ reason: slackErrorCode(error) }, 'a choice among signals was not drawn');
    }
  }

  const choose = onClick(deps, async (click, answer) => {
    const context = parseSignalsContext(click.view?.privateMetadata ?? '');
    if (context === null) {
      return answer(outdatedControl());
    }
    const filter = parseSignalFilter(click.view?.stateValues) ?? context.filter;
    const offset = /^\d{1,6}$/.test(click.value) ? Number(click.value) : 0;
    return redraw(click, { ...context, filter, offset });
  });

  const open = async (args: ButtonArgs) => {
    const click = toClick(args);
    await answeringMembers(deps, click, args.respond, (answer) =>
      openSignals(deps, { ...click, incidentId: click.value }, answer, args.ack),
    );
    await args.ack();
  };

  const openSignal = pushed(deps, ({ value }) => ({
    subject: value,
    message: signalMessage,
    load: async () => signalModal(await deps.service.getSignal(value), deps.traceUrl),
  }));

  const openCauses = pushed(deps, ({ view }) => {
    const context = parseSignalsContext(view?.privateMetadata ?? '');
    return (
      context && {
        subject: context.incidentId,
        message: causesMessage,
        load: () => loadCauses(deps, context.incidentId),
      }
    );
  });

  return {
    [ACTIONS.signals]: open,
    [SIGNALS_BUTTONS.signalsType]: choose,
    [SIGNALS_BUTTONS.signalsService]: choose,
    [SIGNALS_BUTTONS.signalsPeriod]: choose,
    [SIGNALS_BUTTONS.signalsPrevious]: choose,
    [SIGNALS_BUTTONS.signalsNext]: choose,
    [SIGNALS_BUTTONS.signalOpen]: openSignal,
    [SIGNALS_BUTTONS.causesOpen]: openCauses,
  };
}

/** A listener that shows something on top of the open modal. @param viewOf null: the click is out of date */
function pushed(deps: SignalsDeps, viewOf: (click: Click) => LoadedView | null) {
  return onClick(deps, (click, answer) => {
    const view = viewOf(click);
    return view === null
      ? answer(outdatedControl())
      : showLoaded(
          deps,
          view,
          (pushing) => deps.api.views.push({ trigger_id: click.triggerId, view: pushing }),
          answer,
        );
  });
}

/** Followed once it is open: refreshed when the incident changes. */
function signalsView(
  deps: SignalsDeps,
  context: SignalsContext,
  slackUserId: SlackUserId,
  how: { readonly isFresh?: boolean } = {},
): LoadedView {
  const { incidentId } = context;
  return {
    subject: incidentId,
    message: (text) => signalsMessage(context, text),
    load: (viewId) => followSignals(deps, context, { viewId, slackUserId }, how),
  };
}

async function loadCauses({ readSignals }: SignalsDeps, incidentId: IncidentId): Promise<ModalView> {
  const { incident } = await readSignals(incidentId);
  return incident.correlation === undefined
    ? causesMessage(sentence('The incident service does not say how it found the root.').text)
    : causesModal(incident, incident.correlation);
}
