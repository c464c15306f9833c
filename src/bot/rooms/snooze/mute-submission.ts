import { withTimeout } from '../../../runtime/timeout.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { createFormSubmission } from '../../listeners/form-submission.ts';
import { timeZoneOf } from './end-of-snooze.ts';
import { MUTE_FIELDS } from './ids.ts';
import { parseMuteContext, parseMuteForm } from './mute-modal.ts';
import { endOfSnooze } from './snooze.ts';

const LOOK_UP_MS = 1_000;

/** Handles the submitted form of planned work. */
export function createMuteSubmission(deps: ListenerDeps) {
  return createFormSubmission(deps, {
    field: MUTE_FIELDS.reason,
    button: 'Mute',

    read({ private_metadata: metadata, state }) {
      const [context, form] = [parseMuteContext(metadata), parseMuteForm(state.values)];
      return context && form && { ...context, ...form };
    },

    findFault({ reason, startsAt }) {
      if (reason === '') {
        return { fault: 'Please say why.' };
      }
      return startsAt !== null && startsAt <= deps.now()
        ? { fault: 'That time has passed. Leave it empty to start now.', field: MUTE_FIELDS.start }
        : null;
    },

    async request({ time, startsAt: chosen, ...form }, slackUserId) {
      const now = deps.now();
      const timeZone = await withTimeout(LOOK_UP_MS, () => timeZoneOf(deps, slackUserId)).catch(() => 'UTC');
      const startsAt = chosen ?? (form.every === null ? null : now);
      const until = endOfSnooze(time, timeZone, startsAt ?? now);
      return { ...form, kind: 'mute', incidentId: null, startsAt, until, timeZone, first: null };
    },
  });
}
