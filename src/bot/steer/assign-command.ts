import { withTimeout } from '../../runtime/timeout.ts';
import type { Action, SetByHand } from '../domain/action.ts';
import { setByHand } from '../domain/incident.ts';
import { answering, originOf, sendAndAnswer } from '../listeners/answering.ts';
import type { CommandHandler, CommandRequest } from '../listeners/command-handler.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { notFoundBut } from '../listeners/failed-read.ts';
import { KEEP_TIMEOUT_MS } from '../listeners/keep-timeout.ts';
import { findReferences, type Question } from '../listeners/references.ts';
import { cannotAssign } from '../views/answers.ts';
import { whichIncident } from '../views/which-incident.ts';
import { assignedName, findAssigned } from './assigned.ts';
import { handleChange } from './steer-command.ts';
import { fieldsOf } from './steer-submission.ts';

/** Who leads, and who communicates. */
const MOST_ROLES = 2;

interface Assignment {
  readonly actions: readonly Action[];
  readonly questions: readonly Question[];
  readonly unknown: readonly string[];
  /** What was typed and names nobody; null: all of it does. */
  readonly notFound: string | null;
}

/** `/incidents assign #142 @sre @ben`: the first leads, the second communicates. Without names, the form opens. */
export const handleAssign: CommandHandler = async (deps, request) => {
  const { references, text, asker, respond, ack } = request;
  const names = (text ?? '')
    .replace(/^to\s+/i, '')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  if (references.length === 0 || names.length === 0) {
    return handleChange(deps, request);
  }
  const { actions, questions, unknown, notFound } = await withTimeout(KEEP_TIMEOUT_MS, () =>
    keep(deps, request, names),
  );
  await ack();
  await answering(deps, asker, respond, async (answer) => {
    await sendAndAnswer(deps, actions, answer);
    for (const question of questions) {
      await answer(whichIncident('change', question));
    }
    for (const reference of unknown) {
      await answer(await notFoundBut(deps, reference, 'assign'));
    }
    await (notFound === null ? undefined : answer(cannotAssign(notFound)));
  });
};

async function keep(deps: ListenerDeps, request: CommandRequest, names: readonly string[]): Promise<Assignment> {
  const { references, asker, triggerId } = request;
  const { slackUserId, channelId } = asker;
  const nothing = { actions: [], questions: [], unknown: [] };
  const ids = await Promise.all(names.slice(0, MOST_ROLES).map((name) => findAssigned(deps, name, slackUserId)));
  const missing = names.find((_name, index) => (ids[index] ?? null) === null);
  if (missing !== undefined) {
    return { ...nothing, notFound: missing };
  }
  const [lead, communications] = await Promise.all(ids.flatMap((id) => (id === null ? [] : [assignedName(deps, id)])));
  const set: SetByHand = { ...(lead && { lead }), ...(communications && { communications }) };
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
        set,
        before: fieldsOf(setByHand(incident), set),
      }),
    ),
  );
  return {
    actions: kept.flatMap((each) => (each.kind === 'new' ? [each.action] : [])),
    questions: found.questions,
    unknown: found.ids.filter((id) => !known.has(id)),
    notFound: null,
  };
}
