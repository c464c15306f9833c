import { answering } from '../../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';

/** "Cancel" for an action that is pending because the incident service is unavailable. */
export function createCancelListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const cancellation = await deps.actions.cancel(click.value, click.slackUserId);
    await args.ack();
    await answering(deps, click, args.respond, (answer) =>
      answer(deps.actions.answers.cancellationAnswer(cancellation)),
    );
  };
}
