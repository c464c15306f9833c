import { isAcknowledged } from '../../domain/incident.ts';
import { deleteAlert } from '../../store/reminders.ts';
import type { Store } from '../../store/store.ts';
import { alertMessage } from '../../views/reminder.ts';
import type { MessageKind } from '../kind.ts';
import { heldUntilPoll } from './confirmed-by-poll.ts';

/** About half an hour, with backoff. */
const MAX_REFUSALS = 5;

/** A message to a person or another channel about an incident that nobody has acknowledged. */
export function createAlertKind(deps: {
  store: Pick<Store, 'incidents' | 'installation'>;
  now: () => Date;
}): MessageKind {
  const { store, now } = deps;
  return {
    lifecycle: 'sent once',
    shortestRetryMs: 5_000,

    async render({ subject, attempt, data: { dueAt } }) {
      const known = await store.incidents.find(subject);
      if (known === null || known.isGone || known.waiting.length > 0) {
        return null;
      }
      const { incident } = known;
      const isMuted = Date.parse(incident.mute?.until ?? '') > now().getTime();
      if (incident.status === 'closed' || isAcknowledged(incident) || isMuted) {
        return null;
      }
      const { installation } = store;
      const held = attempt === null ? await heldUntilPoll(known, new Date(dueAt ?? 0), { installation, now }) : null;
      return held ?? { content: alertMessage(incident, now()) };
    },

    giveUp: (message) => Promise.resolve(message.refusals < MAX_REFUSALS ? null : deleteAlert(message)),
  };
}
