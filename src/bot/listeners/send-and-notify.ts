import type { Action, Outcome } from '../domain/action.ts';
import { noteKept } from '../views/answers.ts';
import { outcomeAnswer } from '../views/outcome-answers.ts';
import type { ListenerDeps } from './deps.ts';

/** Sends the action of a submitted form. The person is told the outcome where they opened the form. */
export async function sendAndNotify(deps: Pick<ListenerDeps, 'actions' | 'people'>, action: Action): Promise<void> {
  let outcome: Outcome | null;
  try {
    outcome = await deps.actions.send(action);
  } catch (error) {
    await deps.people.notify(action, noteKept());
    throw error;
  }
  if (outcome === null) {
    return;
  }
  if (outcome.kind === 'kept') {
    return deps.people.notify(action, outcomeAnswer(outcome)); // nothing is stored to be reported later
  }
  let isShown = true;
  await deps.people.notify(action, outcomeAnswer(outcome), () => {
    isShown = false;
    return deps.actions.tellDirectly([action]);
  });
  await (isShown ? deps.actions.markAnswered([action]) : undefined);
}
