import type { RespondArguments } from '@slack/bolt';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Action } from '../../actions/action.ts';
import { type Answer, answering, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { notSaved, typedNote } from '../../listeners/answers.ts';
import { type CommandRequest, opensForm } from '../../listeners/command-handler.ts';
import { isNowhere, notFoundBut, openIncidents } from '../../listeners/failed-read.ts';
import { KEEP_TIMEOUT_MS } from '../../listeners/keep-timeout.ts';
import { findReferences, type Question } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import { directly } from '../../slack/people.ts';
import { openResolveModal } from './open-resolve-modal.ts';
import type { ActDeps } from './resolve-form.ts';

interface KeptActions {
  /** Those that are not repeated deliveries. */
  readonly actions: readonly Action[];
  readonly questions: readonly Question[];
  readonly isNothing: boolean;
}

/** Acknowledges once all actions are stored. If storing fails, the note is quoted back; without one, Slack shows an error. */
export async function handleActions(deps: ActDeps, request: CommandRequest): Promise<void> {
  const { text: note, asker, respond, ack } = request;
  const word = request.word === 'ack' ? 'ack' : 'resolve';
  if (word === 'resolve' && note === null) {
    return openForm(deps, request);
  }
  let kept: KeptActions;
  try {
    kept = await withTimeout(KEEP_TIMEOUT_MS, () => keepAll(deps, request));
  } catch (error) {
    if (note === null) {
      throw error;
    }
    deps.logger.error({ err: error }, 'a note could not be stored');
    await ack({ ...notSaved(note), response_type: 'ephemeral' } satisfies RespondArguments);
    return;
  }
  await ack();
  const { actions, questions, isNothing } = kept;
  if (actions.length === 0 && questions.length === 0 && !isNothing) {
    return; // a repeated delivery
  }
  await answering(deps, asker, respond, async (answer) => {
    await sendAndAnswer(deps, actions, answer, () => openIncidents(deps));
    for (const question of questions) {
      await answer(whichIncident(word, question));
    }
    if (questions.length > 0 && note !== null) {
      const message = typedNote(note);
      await answer(message, directly(deps.people, asker.slackUserId, message));
    }
    await (isNothing ? answer(nothingOpen(word)) : undefined);
  });
}

const openForm = opensForm(async (deps: ActDeps, { references, asker, triggerId, ack }, answer: Answer) => {
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  const [incidentId, ...others] = ids;
  if (question !== undefined) {
    return answer(whichIncident('resolve', question));
  }
  if (incidentId === undefined) {
    return answer(nothingOpen('resolve'));
  }
  if (others.length > 0) {
    const known = await deps.store.incidents.findAll(ids);
    return answer(whichIncident('resolve', { service: null, incidents: [...known.values()] }));
  }
  if (await isNowhere(deps, incidentId)) {
    return answer(await notFoundBut(deps, incidentId, 'resolve'));
  }
  await openResolveModal(deps, { incidentId, channelId: asker.channelId, triggerId }, answer, ack);
});

async function keepAll(deps: ActDeps, request: CommandRequest): Promise<KeptActions> {
  const { references, text: note, asker, triggerId, word } = request;
  const { ids, questions } = await findReferences(deps.store, references, {
    isUntaken: word === 'ack',
    now: deps.now(),
  });
  const kept = await Promise.all(
    ids.map((incidentId) => {
      const { slackUserId, channelId } = asker;
      const asked = {
        source: `${triggerId} ${incidentId}`,
        incidentId,
        slackUserId,
        channelId,
        origin: originOf(asker),
      };
      return deps.actions.keep(
        word === 'resolve'
          ? { ...asked, kind: 'resolve', note: note ?? '', asksFirst: true, isNoProblem: false }
          : { ...asked, kind: 'acknowledge' },
      );
    }),
  );
  const actions = kept.flatMap((each) => (each.kind === 'new' ? [each.action] : []));
  return { actions, questions, isNothing: ids.length === 0 && questions.length === 0 };
}
