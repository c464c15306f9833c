import type { Action } from '../../actions/action.ts';
import { closedAlready } from '../../actions/outcome-answers.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { type Asker, answering, keepThenSend, originOf, sendAndAnswer } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, onClick, toClick } from '../../listeners/buttons.ts';
import { answers, type CommandRequest } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { openIncidents } from '../../listeners/failed-read.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { endOfSnoozeOf } from './end-of-snooze.ts';
import { muteTarget, parseMuteTarget } from './mute-command.ts';
import { readSnooze } from './snooze.ts';
import { parseSnoozeValue, snoozeQuestion } from './snooze-view.ts';

const NOT_OFFERED = 'The incident service does not offer to snooze incidents.';
const HOW_LONG = 'Say for how long: `1h`, `4h`, `2d` or `tomorrow`, then the reason if you like.';

/** `/incidents snooze #142 4h waiting for the vendor` */
export async function handleSnooze(deps: ListenerDeps, request: CommandRequest): Promise<void> {
  const { references, text, asker, triggerId, ack, respond } = request;
  const target = parseMuteTarget(references[0] ?? '');
  if (target !== null) {
    return muteTarget(target)(deps, request);
  }
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  if (question !== undefined) {
    return answers((_deps, _request, answer) => answer(whichIncident('snooze', question)))(deps, request);
  }
  if (ids.length === 0) {
    return answers((_deps, _request, answer) => answer(nothingOpen('snooze')))(deps, request);
  }
  const parsed = text === null ? null : readSnooze(text);
  if (parsed === null) {
    return answers(async (_deps, _request, answer) => {
      const known = await deps.store.incidents.find(ids[0] ?? '');
      const isOffered = known?.incident.mute !== undefined;
      await answer(
        text !== null || known === null || !isOffered
          ? sentence(known !== null && !isOffered ? NOT_OFFERED : HOW_LONG)
          : snoozeQuestion(known.incident),
      );
    })(deps, request);
  }
  const kept = await keepSnoozes(deps, asker, triggerId, ids, parsed.time, parsed.reason);
  await ack();
  if (kept.length > 0) {
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, kept, answer, () => openIncidents(deps)));
  }
}

export function createSnoozeListener(deps: ListenerDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const parsed = parseSnoozeValue(click.value);
    const kept =
      parsed === null ? [] : await keepSnoozes(deps, click, click.triggerId, [parsed.incidentId], parsed.time, null);
    await args.ack();
    await answering(deps, click, args.respond, async (answer) => {
      if (parsed === null) {
        return answer(outdatedControl());
      }
      if (kept.length > 0) {
        await sendAndAnswer(deps, kept, answer);
      }
    });
  };
}

/** "Snooze" on a card: asks for how long. */
export function createSnoozeQuestionListener(deps: ListenerDeps) {
  return onClick(deps, async ({ value }, answer) => {
    const known = await deps.store.incidents.find(value);
    await answer(known === null ? outdatedControl() : questionOf(known.incident));
  });
}

function questionOf(incident: Snapshot): SlackMessage {
  if (incident.mute === undefined) {
    return sentence(NOT_OFFERED);
  }
  return incident.status === 'closed' ? closedAlready(incident) : snoozeQuestion(incident);
}

/** "End snooze" on a card. */
export function createSnoozeEndListener(deps: ListenerDeps) {
  return (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const { value: incidentId, triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: 'unsnooze', incidentId, slackUserId, channelId } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** @returns the actions that are not repeated deliveries */
async function keepSnoozes(
  deps: ListenerDeps,
  asker: Asker,
  triggerId: string,
  incidentIds: readonly IncidentId[],
  time: string,
  reason: string | null,
): Promise<Action[]> {
  const { slackUserId, channelId } = asker;
  const until = await endOfSnoozeOf(deps, slackUserId, time);
  const kept = await Promise.all(
    [...new Set(incidentIds)].map((incidentId) =>
      deps.actions.keep({
        source: `${triggerId} ${incidentId}`,
        kind: 'snooze',
        incidentId,
        slackUserId,
        channelId,
        reason,
        origin: originOf(asker),
        until,
      }),
    ),
  );
  return kept.flatMap((each) => (each.kind === 'new' ? [each.action] : []));
}
