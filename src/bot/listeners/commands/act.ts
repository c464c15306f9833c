import type { RespondArguments } from '@slack/bolt';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Action } from '../../domain/action.ts';
import { missingReference, notSaved } from '../../views/answers.ts';
import { type Answer, answering, originOf, resolveReference, sendAndAnswer } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { answers, type CommandRequest, opensForm } from './handler.ts';

/** Slack waits three seconds for the acknowledgement; after that, what was typed is lost. */
const KEEP_TIMEOUT_MS = 2_000;

export async function handleAcknowledge(deps: ListenerDeps, request: CommandRequest): Promise<void> {
  if (request.references.length === 0) {
    return answers((_deps, _request, answer) => answer(missingReference('ack')))(deps, request);
  }
  return keepAndSend(deps, request);
}

export async function handleResolve(deps: ListenerDeps, request: CommandRequest): Promise<void> {
  const { references, text, asker, triggerId, ack } = request;
  const [reference] = references;
  if (reference === undefined) {
    return answers((_deps, _request, answer) => answer(missingReference('resolve')))(deps, request);
  }
  if (text !== null) {
    return keepAndSend(deps, request);
  }
  const open = async (_deps: ListenerDeps, _request: CommandRequest, answer: Answer) => {
    const incidentId = await resolveReference(deps.store, reference);
    await openResolveModal(deps, { incidentId, channelId: asker.channelId, triggerId }, answer, ack);
  };
  return opensForm(open)(deps, request);
}

/** Acknowledges once all actions are stored. If storing fails, the note is quoted back; without one, Slack shows an error. */
async function keepAndSend(deps: ListenerDeps, request: CommandRequest): Promise<void> {
  const { text: note, asker, respond, ack } = request;
  let actions: readonly Action[];
  try {
    actions = await withTimeout(KEEP_TIMEOUT_MS, () => keepAll(deps, request));
  } catch (error) {
    if (note === null) {
      throw error;
    }
    deps.logger.error({ err: error }, 'a note could not be stored');
    await ack({ ...notSaved(note), response_type: 'ephemeral' } satisfies RespondArguments);
    return;
  }
  await ack();
  if (actions.length > 0) {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, actions, answer));
  }
}

/** @returns the actions that are not repeated deliveries */
async function keepAll(deps: ListenerDeps, request: CommandRequest): Promise<Action[]> {
  const { references, text: note, asker, triggerId, word } = request;
  const ids = await Promise.all(references.map((reference) => resolveReference(deps.store, reference)));
  const kept = await Promise.all(
    [...new Set(ids)].map((incidentId) =>
      deps.serviceWrites.keep({
        source: `${triggerId} ${incidentId}`,
        kind: word === 'ack' ? 'acknowledge' : 'resolve',
        incidentId,
        slackUserId: asker.slackUserId,
        channelId: asker.channelId,
        note,
        origin: originOf(asker),
        asksFirst: word === 'resolve',
      }),
    ),
  );
  return kept.flatMap((each) => (each.kind === 'new' ? [each.action] : []));
}
