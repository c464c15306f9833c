import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { missingReference, outcomeAnswer } from '../../views/answers.ts';
import { healthMessage } from '../../views/health.ts';
import { helpMessage, unknownWordMessage } from '../../views/help.ts';
import { type Answer, type Asker, ackOnceKept, answering, resolveReference } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { parseIncidentsCommand } from '../parse-command.ts';
import { answerDetails, answerList } from '../show.ts';

/** `/incidents …` */
export function createIncidentsListener(deps: ListenerDeps) {
  return async ({ ack, command, respond }: SlackCommandMiddlewareArgs & AllMiddlewareArgs): Promise<void> => {
    const asker = { slackUserId: command.user_id, channelId: command.channel_id, what: command.command };
    const parsed = parseIncidentsCommand(command.text);
    if (parsed.word !== 'ack' && parsed.word !== 'resolve') {
      await ack();
    }
    await ackOnceKept(ack, (onKept) =>
      answering(deps, asker, respond, (answer) =>
        run(deps, { ...asker, triggerId: command.trigger_id }, parsed, answer, onKept),
      ),
    );
  };
}

async function run(
  deps: ListenerDeps,
  { triggerId, what: _what, ...asker }: Asker & { triggerId: string },
  parsed: ReturnType<typeof parseIncidentsCommand>,
  answer: Answer,
  onKept: () => Promise<void>,
): Promise<void> {
  if (parsed.word === 'open') {
    return answerList(deps, 0, answer);
  }
  if (parsed.word === 'help') {
    return answer(helpMessage());
  }
  if (parsed.word === 'health') {
    return answer(healthMessage(await deps.health()));
  }
  if (parsed.word === 'unknown') {
    return answer(unknownWordMessage(parsed.typed, parsed.suggestion));
  }
  if (parsed.reference === null) {
    return answer(missingReference(parsed.word));
  }
  const incidentId = await resolveReference(deps.store, parsed.reference);
  switch (parsed.word) {
    case 'show':
      return answerDetails(deps, incidentId, answer);
    case 'ack':
      return perform(deps, { ...asker, incidentId, kind: 'acknowledge' }, answer, onKept);
    case 'resolve':
      return parsed.note === null
        ? openResolveModal(deps, { incidentId, channelId: asker.channelId, triggerId }, answer, onKept)
        : perform(deps, { ...asker, incidentId, kind: 'resolve', note: parsed.note, source: null }, answer, onKept);
    default:
      return parsed satisfies never;
  }
}

export async function perform(
  deps: ListenerDeps,
  request: Parameters<ListenerDeps['delivery']['keep']>[0],
  answer: Answer,
  onKept: () => Promise<void>,
): Promise<void> {
  const { sent, kept } = deps.delivery.keep(request);
  await (request.kind === 'resolve' ? kept : sent); // a note is nowhere else once it is acknowledged
  await onKept();
  const action = await kept;
  if (action !== null) {
    await answer(outcomeAnswer(await deps.delivery.deliver(action)));
    await deps.delivery.told(action);
  }
}
