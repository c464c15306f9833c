import { onClick } from '../../listeners/buttons.ts';
import type { ListsDeps } from './show.ts';
import { answerDetails } from './show.ts';

export function createShowListener(deps: ListsDeps) {
  return onClick(deps, ({ value }, answer) => answerDetails(deps, value, answer));
}
