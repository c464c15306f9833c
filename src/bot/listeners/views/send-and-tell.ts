import type { Action, Outcome } from '../../domain/action.ts';
import { noteKept } from '../../views/answers.ts';
import { outcomeAnswer } from '../../views/outcome-answers.ts';
import type { ListenerDeps } from '../deps.ts';

/** Sends the action of a submitted form. The person is told the outcome where they opened the form. */
export async function sendAndTell(deps: Pick<ListenerDeps, 'serviceWrites' | 'people'>, action: Action): Promise<void> {
  let outcome: Outcome;
  try {
    outcome = await deps.serviceWrites.send(action);
  } catch (error) {
    await deps.people.tell(action, noteKept());
    throw error;
  }
  await deps.people.tell(action, outcomeAnswer(outcome));
  await deps.serviceWrites.markAnswered([action]);
}
