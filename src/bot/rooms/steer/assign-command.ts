import type { RespondArguments } from '@slack/bolt';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Action } from '../../actions/action.ts';
import { answering, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { commandNotSaved, tooManyRoles } from '../../listeners/answers.ts';
import type { CommandHandler, CommandRequest } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut } from '../../listeners/failed-read.ts';
import { KEEP_TIMEOUT_MS } from '../../listeners/keep-timeout.ts';
import { findReferences, type Question } from '../../listeners/references.ts';
import { whichIncident } from '../../listeners/which-incident.ts';
import { parseAssigned } from './assigned.ts';
import { setByHand } from './set-by-hand.ts';
import { handleChange } from './steer-command.ts';
import { fieldsOf } from './steer-submission.ts';

/** Who leads, and who communicates. */
const MOST_ROLES = 2;

interface Assignment {
  readonly actions: readonly Action[];
  readonly questions: readonly Question[];
  readonly unknown: readonly string[];
}

/**
 * `/incidents assign #142 @sre @ben`: the first leads, the second communicates. Without names, the form opens. Who they
 * are is looked up when the stored action is sent.
 */
export const handleAssign: CommandHandler = async (deps, request) => {
  const { references, text, asker, respond, ack } = request;
  const names = (text ?? '')
    .replace(/^to\s+/i, '')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  if (references.length === 0 || names.length === 0) {
    return handleChange(deps, request);
  }
  if (names.length > MOST_ROLES) {
    await ack();
    return answering(deps, asker, respond, (answer) => answer(tooManyRoles()));
  }
  let kept: Assignment;
  try {
    kept = await withTimeout(KEEP_TIMEOUT_MS, () => keep(deps, request, names));
  } catch (err) {
    deps.logger.error({ err }, 'an assignment could not be stored');
    return ack({ ...commandNotSaved('assignment', text ?? ''), response_type: 'ephemeral' } satisfies RespondArguments);
  }
  await ack();
  await answering(deps, asker, respond, async (answer) => {
    await sendAndAnswer(deps, kept.actions, answer);
    for (const question of kept.questions) {
      await answer(whichIncident('change', question));
    }
    for (const reference of kept.unknown) {
      await answer(await notFoundBut(deps, reference, 'assign'));
    }
  });
};

async function keep(deps: ListenerDeps, request: CommandRequest, names: readonly string[]): Promise<Assignment> {
  const { references, asker, triggerId } = request;
  const { slackUserId, channelId } = asker;
  const [lead = '', communications] = names.map((name) => parseAssigned(name, slackUserId));
  const people = { lead, ...(communications !== undefined && { communications }) };
  const found = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const known = await deps.store.incidents.findAll(found.ids);
  const kept = await Promise.all(
    [...known.values()].map((incident) =>
      deps.actions.keep({
        kind: 'steer',
        incidentId: incident.id,
        source: `${triggerId} ${incident.id}`,
        slackUserId,
        channelId,
        origin: originOf(asker),
        set: {},
        people,
        before: fieldsOf(setByHand(incident), people),
      }),
    ),
  );
  return {
    actions: kept.flatMap((each) => (each.kind === 'new' ? [each.action] : [])),
    questions: found.questions,
    unknown: found.ids.filter((id) => !known.has(id)),
  };
}
