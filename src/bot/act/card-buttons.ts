import { answeringResponders, keepThenSend } from '../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../listeners/buttons.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { openResolveModal } from '../listeners/open-resolve-modal.ts';

export function createAcknowledgeListener(deps: ListenerDeps) {
  return (args: ButtonArgs) => {
    const click = toClick(args);
    const { value: incidentId, triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: 'acknowledge', incidentId, slackUserId, channelId } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** Acknowledges once the form is open or the person was told why it cannot open. */
export function createResolveListener(deps: ListenerDeps) {
  return async (args: ButtonArgs) => {
    const click = toClick(args);
    const { value: incidentId, channelId, triggerId } = click;
    await answeringResponders(deps, click, args.respond, (answer) =>
      openResolveModal(deps, { incidentId, channelId, triggerId }, answer, args.ack),
    );
    await args.ack();
  };
}
