import { keepThenSend } from '../../listeners/answering.ts';
import { type ButtonArgs, onFormClick, toClick } from '../../listeners/buttons.ts';
import { openResolveModal } from './open-resolve-modal.ts';
import type { ActDeps } from './resolve-form.ts';

export function createAcknowledgeListener(deps: ActDeps) {
  return (args: ButtonArgs) => {
    const click = toClick(args);
    const { value: incidentId, triggerId: source, slackUserId, channelId } = click;
    const request = { source, kind: 'acknowledge', incidentId, slackUserId, channelId } as const;
    return keepThenSend(deps, request, click, args);
  };
}

export function createResolveListener(deps: ActDeps) {
  return onFormClick(deps, ({ value: incidentId, channelId, triggerId }, answer, onOpen) =>
    openResolveModal(deps, { incidentId, channelId, triggerId }, answer, onOpen),
  );
}
