import { idOfSlackUser } from '../../../contract/actor.ts';
import { answer as message } from '../../blocks/answer.ts';
import { answering } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { parseAnswerValue } from './report.ts';
import type { Wakes } from './wakes.ts';

/** What this room needs beside what all listeners share. */
export type WakeDeps = ListenerDeps & { readonly wakes: Pick<Wakes, 'report'> };

/** "I have it": kept before it is acknowledged. The message itself says who has it once the service has confirmed that. */
export function createHaveItListener(deps: WakeDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const asked = parseAnswerValue(click.value);
    if (asked !== null) {
      await deps.wakes.report({ ...asked, state: 'answered', user_id: idOfSlackUser(click.slackUserId) });
    }
    await args.ack();
    await answering(deps, click, args.respond, (answer) =>
      answer(asked === null ? outdatedControl() : message('I am telling the service that you have it.')),
    );
  };
}
