import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { answer as message } from '../../blocks/answer.ts';
import { answering } from '../../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import { SWAP_FIELDS } from './ids.ts';
import type { OnCallDeps } from './oncall-command.ts';
import { parseSwapForm } from './swap-view.ts';
import type { SwapAnswer } from './swaps.ts';

/** The form is kept before it closes. Its outcome comes as a direct message. */
export function createSwapSubmission(deps: OnCallDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const form = parseSwapForm(view.state.values);
    const asker = body.user.id;
    const refuse = (field: string, fault: string) => ack({ response_action: 'errors', errors: { [field]: fault } });
    if (form === null) {
      return refuse(SWAP_FIELDS.turn, 'This form is out of date. Please open it again.');
    }
    if (form.taker === asker) {
      return refuse(SWAP_FIELDS.taker, 'Please choose somebody else.');
    }
    await deps.swaps.ask(view.id, { ...form, asker });
    await ack();
  };
}

const SAID = {
  taken: 'I am telling the service that you take it.',
  declined: 'I am telling the service that you decline.',
  undone: 'I am telling the service that you give it back.',
} as const;

/** Take, Decline and Undo: kept before they are acknowledged. The message says what became of it. */
export function createSwapListener(deps: OnCallDeps, answer: SwapAnswer['answer']) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const { slackUserId, value: swapId, actionTs } = click;
    await deps.swaps.answer(`${slackUserId} ${actionTs}`, { swapId, answer, slackUserId });
    await args.ack();
    await answering(deps, click, args.respond, (say) => say(message(SAID[answer])));
  };
}
