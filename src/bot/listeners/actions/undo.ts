import { outdatedControl } from '../../views/answers.ts';
import { answering, keepThenSend } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { type ButtonArgs, toClick } from './buttons.ts';

const UNDOES = { acknowledge: 'unacknowledge', resolve: 'reopen' } as const;

/** "Undo" in a receipt. Its value is the id of the action. Whether it is too late is decided when it is sent. */
export function createUndoListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const target = await deps.store.actions.findSettled(click.value, click.slackUserId);
    const { kind, incidentId, note = null } = target?.action ?? {};
    if (target === null || incidentId === undefined || (kind !== 'acknowledge' && kind !== 'resolve')) {
      return answerOutdated(deps, args);
    }
    const { triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: UNDOES[kind], incidentId, slackUserId, channelId, note, undoes: click.value };
    return keepThenSend(deps, request, click, args);
  };
}

/** "Resolve anyway", after the person was asked because the incident still fails. The note is the one that they typed. */
export function createResolveAnywayListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const asked = await deps.store.actions.findSettled(click.value, click.slackUserId);
    if (asked?.outcome !== 'asked') {
      return answerOutdated(deps, args);
    }
    const { incidentId, note } = asked.action;
    const { triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: 'resolve', incidentId, slackUserId, channelId, note } as const;
    return keepThenSend(deps, request, click, args);
  };
}

async function answerOutdated(deps: ListenerDeps, args: ButtonArgs): Promise<void> {
  await args.ack();
  await answering(deps, toClick(args), args.respond, (answer) => answer(outdatedControl()));
}
