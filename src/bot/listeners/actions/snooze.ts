import { withTimeout } from '../../../runtime/timeout.ts';
import type { Action } from '../../domain/action.ts';
import { endOfSnooze, readSnooze, type SnoozeTime } from '../../domain/snooze.ts';
import { missingReference, outdatedControl, answer as sentence } from '../../views/answers.ts';
import { parseSnoozeValue, snoozeQuestion } from '../../views/snooze.ts';
import { type Asker, answering, originOf, resolveReference, sendAndAnswer } from '../answering.ts';
import { answers, type CommandRequest } from '../commands/handler.ts';
import type { ListenerDeps } from '../deps.ts';
import { timeZoneOf } from '../rules/open-rule-form.ts';
import { type ButtonArgs, toClick } from './buttons.ts';

const NOT_OFFERED = 'The incident service does not offer to snooze incidents.';
const HOW_LONG = 'Say for how long: `1h`, `4h` or `tomorrow`, then the reason if you like.';
/** Slack waits three seconds for the acknowledgement. */
const LOOK_UP_MS = 1_200;

/** `/incidents snooze #142 4h waiting for the vendor` */
export async function handleSnooze(deps: ListenerDeps, request: CommandRequest): Promise<void> {
  const { references, text, asker, triggerId, ack, respond } = request;
  if (references.length === 0) {
    return answers((_deps, _request, answer) => answer(missingReference('snooze')))(deps, request);
  }
  const ids = await Promise.all(references.map((each) => resolveReference(deps.store, each)));
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
    await answering(deps, asker, respond, (answer) => sendAndAnswer(deps, kept, answer));
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

/** @returns the actions that are not repeated deliveries */
async function keepSnoozes(
  deps: ListenerDeps,
  asker: Asker,
  triggerId: string,
  incidentIds: readonly string[],
  time: SnoozeTime,
  reason: string | null,
): Promise<Action[]> {
  const { slackUserId, channelId } = asker;
  const timeZone =
    time === 'tomorrow' ? await withTimeout(LOOK_UP_MS, () => timeZoneOf(deps, slackUserId)).catch(() => 'UTC') : 'UTC';
  const until = endOfSnooze(time, timeZone, deps.now());
  const kept = await Promise.all(
    [...new Set(incidentIds)].map((incidentId) =>
      deps.serviceWrites.keep({
        source: `${triggerId} ${incidentId}`,
        kind: 'snooze',
        incidentId,
        slackUserId,
        channelId,
        note: reason,
        origin: originOf(asker),
        until,
      }),
    ),
  );
  return kept.flatMap((each) => (each.kind === 'new' ? [each.action] : []));
}
