import { onClick } from '../listeners/buttons.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { answerDetails } from './show.ts';

export function createShowListener(deps: ListenerDeps) {
  return onClick(deps, ({ value }, answer) => answerDetails(deps, value, answer));
}
