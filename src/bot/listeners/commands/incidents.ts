import type { AllMiddlewareArgs, RespondArguments, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Kept } from '../../store/actions.ts';
import { missingReference, notSaved } from '../../views/answers.ts';
import { healthMessage } from '../../views/health.ts';
import { helpMessage, unknownWordMessage } from '../../views/help.ts';
import { type Answer, type Asker, answering, answeringMembers, resolveReference, sendAndAnswer } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { openResolveModal } from '../open-resolve-modal.ts';
import { type IncidentsCommand, parseIncidentsCommand } from '../parse-command.ts';
import { answerDetails, answerList } from '../show.ts';

/** Slack waits three seconds for the acknowledgement; after that, what was typed is lost. */
const KEEP_TIMEOUT_MS = 2_000;

type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;

/** A command with an action that must not be lost. */
type Request = Extract<IncidentsCommand, { word: 'ack' | 'resolve' }> & { readonly reference: string };

/** Handles `/incidents …`. */
export function createIncidentsListener(deps: ListenerDeps) {
  return async (args: CommandArgs): Promise<void> => {
    const { ack, command, respond } = args;
    const asker = { slackUserId: command.user_id, channelId: command.channel_id, what: command.command };
    const parsed = parseIncidentsCommand(command.text);
    if (isRequest(parsed)) {
      return keepAndSend(deps, args, asker, parsed);
    }
    if (parsed.word !== 'resolve') {
      await ack();
    }
    await answeringMembers(deps, asker, respond, (answer) =>
      run(deps, { channelId: asker.channelId, triggerId: command.trigger_id }, parsed, answer, ack),
    );
    await ack();
  };
}

function isRequest(parsed: IncidentsCommand): parsed is Request {
  return (
    (parsed.word === 'ack' && parsed.reference !== null) ||
    (parsed.word === 'resolve' && parsed.reference !== null && parsed.note !== null)
  );
}

/** Acknowledges once the action is stored. If storing fails, the note is quoted back; without a note, Slack shows an error. */
async function keepAndSend(
  deps: ListenerDeps,
  { ack, command, respond }: CommandArgs,
  asker: Asker,
  parsed: Request,
): Promise<void> {
  const note = parsed.word === 'resolve' ? parsed.note : null;
  let kept: Kept;
  try {
    kept = await withTimeout(KEEP_TIMEOUT_MS, async () =>
      deps.serviceWrites.keep({
        source: command.trigger_id,
        kind: parsed.word === 'ack' ? 'acknowledge' : 'resolve',
        incidentId: await resolveReference(deps.store, parsed.reference),
        slackUserId: asker.slackUserId,
        channelId: asker.channelId,
        note,
      }),
    );
  } catch (error) {
    if (note === null) {
      throw error;
    }
    deps.logger.error({ err: error }, 'a note could not be stored');
    await ack({ ...notSaved(note), response_type: 'ephemeral' } satisfies RespondArguments);
    return;
  }
  await ack();
  if (kept.kind === 'new') {
    const { action } = kept;
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, action, answer));
  }
}

/** @param onOpen acknowledges a command that opens a form */
async function run(
  deps: ListenerDeps,
  where: { channelId: string | null; triggerId: string },
  parsed: IncidentsCommand,
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  switch (parsed.word) {
    case 'open':
      return answerList(deps, 0, answer);
    case 'help':
      return answer(helpMessage());
    case 'health':
      return answer(healthMessage(await deps.health()));
    case 'unknown':
      return answer(unknownWordMessage(parsed.typed, parsed.suggestion));
    case 'show':
    case 'ack':
    case 'resolve':
      return onIncident(deps, where, parsed, answer, onOpen);
    default:
      return parsed satisfies never;
  }
}

/** A command that names an incident: shows it, or opens its form. */
async function onIncident(
  deps: ListenerDeps,
  where: { channelId: string | null; triggerId: string },
  parsed: Extract<IncidentsCommand, { word: 'show' | 'ack' | 'resolve' }>,
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  if (parsed.reference === null) {
    return answer(missingReference(parsed.word));
  }
  const incidentId = await resolveReference(deps.store, parsed.reference);
  return parsed.word === 'show'
    ? answerDetails(deps, incidentId, answer)
    : openResolveModal(deps, { incidentId, ...where }, answer, onOpen);
}
