import { cancellationAnswer } from '../../views/answers.ts';
import { answering } from '../answering.ts';
import type { ListenerDeps } from '../deps.ts';
import { type ButtonArgs, toClick } from './buttons.ts';

/** "Cancel" beside an action that is kept until the incident service answers. */
export function createCancelListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const cancellation = await deps.serviceWrites.cancel(click.value, click.slackUserId);
    await args.ack();
    await answering(deps, click, args.respond, (answer) => answer(cancellationAnswer(cancellation)));
  };
}
