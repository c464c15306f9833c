import { cancellationAnswer } from '../../views/answers.ts';
import type { ListenerDeps } from '../deps.ts';
import { onRequest } from './buttons.ts';

/** "Cancel" beside an action that is kept until the incident service answers. */
export function createCancelListener(deps: ListenerDeps) {
  return onRequest(deps, async ({ value, slackUserId }, answer) =>
    answer(cancellationAnswer(await deps.delivery.cancel(value, slackUserId))),
  );
}
