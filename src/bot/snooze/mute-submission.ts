import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { withTimeout } from '../../runtime/timeout.ts';
import { MUTE_FIELDS, VIEWS } from '../domain/ids.ts';
import { endOfSnooze } from '../domain/snooze.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { timeZoneOf } from '../listeners/end-of-snooze.ts';
import { sendAndTell } from '../listeners/send-and-tell.ts';
import type { Kept } from '../store/actions.ts';
import { parseMuteContext, parseMuteForm } from './mute-modal.ts';

/** Slack waits three seconds for both. */
const LOOK_UP_MS = 1_000;
const KEEP_TIMEOUT_MS = 1_500;

/** Handles the submitted form of planned work. It is stored before the modal closes. */
export function createMuteSubmission(deps: ListenerDeps) {
  return async ({ ack, body, view }: SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs): Promise<void> => {
    const refuse = (fault: string, field: string = MUTE_FIELDS.reason) =>
      ack({ response_action: 'errors', errors: { [field]: fault } });
    const context = parseMuteContext(view.private_metadata);
    const form = parseMuteForm(view.state.values);
    if (context === null || form === null) {
      return refuse('This form is out of date. Please open it again.');
    }
    if (form.reason === '') {
      return refuse('Please say why.');
    }
    const now = deps.now();
    if (form.startsAt !== null && form.startsAt <= now) {
      return refuse('That time has passed. Leave it empty to start now.', MUTE_FIELDS.start);
    }
    const slackUserId = body.user.id;
    let kept: Kept;
    try {
      const timeZone = await withTimeout(LOOK_UP_MS, () => timeZoneOf(deps, slackUserId)).catch(() => 'UTC');
      const { target, value, channelId } = context;
      const startsAt = form.startsAt ?? (form.every === null ? null : now);
      const request = {
        source: view.id,
        kind: 'mute',
        incidentId: null,
        target,
        value,
        slackUserId,
        channelId,
        reason: form.reason,
        startsAt,
        until: endOfSnooze(form.time, timeZone, startsAt ?? now),
        every: form.every,
        timeZone,
        origin: VIEWS.mute,
      } as const;
      kept = await withTimeout(KEEP_TIMEOUT_MS, () => deps.actions.keep(request));
    } catch (err) {
      deps.logger.error({ err }, 'a mute could not be stored');
      return refuse("This can't be saved right now. Please press Mute again in a moment.");
    }
    await ack();
    await (kept.kind === 'new' ? sendAndTell(deps, kept.action) : undefined);
  };
}
