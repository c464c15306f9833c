import { answers } from '../../listeners/command-handler.ts';
import { withService } from '../../listeners/with-service.ts';
import { hadNoEffect } from '../../slack/errors.ts';
import { readIncidents } from '../stats/read-incidents.ts';
import { handoverMessage } from './handover-view.ts';
import { shiftOf } from './shift.ts';

const SHIFT_MS = 8 * 3_600_000;

/** Posts to the channel. If Slack refuses that, only the person sees it; without a clear response, it is not sent again. */
export const handleHandover = answers(
  withService(async (deps, { filter, respond }, answer) => {
    const to = deps.now();
    const from = new Date(to.getTime() - (filter.periodMs ?? SHIFT_MS));
    const stored = new Set((await deps.store.incidents.since(from)).map(({ id }) => id));
    const { incidents } = await readIncidents(
      deps,
      ({ id, status, closed_at: at }) => status === 'open' || (at == null ? stored.has(id) : new Date(at) >= from),
    );
    const message = handoverMessage(shiftOf(incidents, { from, to }));
    try {
      await respond({ ...message, response_type: 'in_channel', replace_original: false });
    } catch (err) {
      const isRefused = hadNoEffect(err);
      deps.logger.warn({ err, isRefused }, 'the post of a handover to the channel failed');
      await (isRefused ? answer(message) : undefined);
    }
  }),
);
