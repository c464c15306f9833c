import type { IncidentAction } from '../../actions/action.ts';
import { answering, keepThenSend } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import type { ActDeps } from './resolve-form.ts';

/** "Undo" in a receipt. Its value is the id of the action. Whether it is too late is decided when it is sent. */
export function createUndoListener(deps: ActDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const target = await deps.store.actions.findSettled(click.value, click.slackUserId);
    const undo = target === null ? null : undoOf(target.action);
    if (undo === null) {
      return answerOutdated(deps, args);
    }
    const { triggerId: source, slackUserId, channelId } = click;
    return keepThenSend(deps, { ...undo, source, slackUserId, channelId }, click, args);
  };
}

/** "Resolve anyway", after the person was asked because the incident still fails. The note is the one that they typed. */
export function createResolveAnywayListener(deps: ActDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const asked = await deps.store.actions.findSettled(click.value, click.slackUserId);
    if (asked?.outcome !== 'asked' || asked.action.kind !== 'resolve') {
      return answerOutdated(deps, args);
    }
    const { incidentId, note, isNoProblem } = asked.action;
    const { triggerId: source, slackUserId, channelId } = click;
    const where = { source, incidentId, slackUserId, channelId };
    const request = { ...where, kind: 'resolve', note, asksFirst: false, isNoProblem } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** "Add to the timeline", when somebody else closed the incident first. The note is the one that was not added. */
export function createLateNoteListener(deps: ActDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const late = await deps.store.actions.findSettled(click.value, click.slackUserId);
    if (late?.outcome !== 'already' || late.action.kind !== 'resolve') {
      return answerOutdated(deps, args);
    }
    const { incidentId, note } = late.action;
    const { slackUserId, channelId } = click;
    const source = `late note ${late.action.id}`; // added once, however often it is pressed
    const request = { source, kind: 'note', incidentId, slackUserId, channelId, note } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** What takes the action back; null: its receipt has no Undo. */
function undoOf(action: IncidentAction) {
  const { kind, incidentId, id: undoes } = action;
  switch (kind) {
    case 'acknowledge':
      return { kind: 'unacknowledge', incidentId, undoes } as const;
    case 'resolve':
      return { kind: 'reopen', incidentId, undoes, note: action.note } as const;
    case 'steer':
      return { kind: 'unsteer', incidentId, undoes, set: action.before, before: action.set } as const;
    case 'merge':
      return { kind: 'split', incidentId } as const;
    case 'split':
    case 'unsteer':
    case 'unacknowledge':
    case 'reopen':
    case 'snooze':
    case 'unsnooze':
    case 'note':
      return null;
    default:
      return kind satisfies never;
  }
}

async function answerOutdated(deps: ActDeps, args: ButtonArgs): Promise<void> {
  await args.ack();
  await answering(deps, toClick(args), args.respond, (answer) => answer(outdatedControl()));
}
