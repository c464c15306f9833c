import type { Action, Outcome } from '../actions/action.ts';
import type { ListenerDeps } from './deps.ts';

/** Sends the action of a submitted form. The person is told the outcome where they opened the form. */
export async function sendAndNotify(deps: Pick<ListenerDeps, 'actions' | 'people'>, action: Action): Promise<void> {
  let outcome: Outcome | null;
  try {
    outcome = await deps.actions.send(action);
  } catch (error) {
    await deps.people.notify(action, deps.actions.answers.actionKept(action));
    throw error;
  }
  if (outcome === null) {
    return;
  }
  if (outcome.kind === 'kept') {
    return deps.people.notify(action, deps.actions.answers.outcomeAnswer(outcome)); // nothing is stored to be reported later
  }
  let isShown = true;
  await deps.people.notify(action, deps.actions.answers.outcomeAnswer(outcome), () => {
    isShown = false;
    return deps.actions.tellDirectly([action]);
  });
  await (isShown ? deps.actions.markAnswered([action]) : undefined);
}
