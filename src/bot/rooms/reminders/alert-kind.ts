import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { isMuted } from '../../../incident/mute.ts';
import type { Freshness } from '../../incident/freshness.ts';
import type { KnownIncident } from '../../incident/incident.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { byUrgency } from '../../incident/severity.ts';
import { heldShortly, heldUntilPoll } from '../../messages/confirmed-by-poll.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { deleteMessage } from '../../messages/message-store.ts';
import { MAX_REFUSALS } from '../../messages/refusals.ts';
import type { IncidentId, StormId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { StormStore } from '../storm/storms.ts';
import { alertMessage } from './reminder-view.ts';
import { ALERT_DATA } from './reminders.ts';
import { needsSomebodyAt } from './storm-reminder.ts';
import { stormAlertMessage } from './storm-reminder-view.ts';

interface Shown extends Pick<KnownIncident, 'isUnread'> {
  readonly content: SlackMessage;
  /** A pending action may make the message unnecessary. */
  readonly isUndecided: boolean;
}

/** A message to a person or another channel about an incident or a storm that nobody has acknowledged. */
export function createAlertKind(deps: {
  store: { readonly incidents: IncidentStore; readonly freshness: Freshness; readonly storms: StormStore };
  now: () => Date;
}): MessageKind<'alert'> {
  const { store, now } = deps;

  async function findIncident(incidentId: IncidentId): Promise<Shown | null> {
    const known = await store.incidents.find(incidentId);
    if (known === null || known.isGone) {
      return null;
    }
    const { incident, isUnread, waiting } = known;
    return incident.status === 'closed' || isAcknowledged(incident) || isMuted(incident, now())
      ? null
      : { isUnread, isUndecided: waiting.length > 0, content: alertMessage(incident, now()) };
  }

  async function findStorm(stormId: StormId): Promise<Shown | null> {
    const all = await store.storms.open(stormId);
    const members = all.filter(({ isUnread }) => !isUnread);
    const [worst] = members
      .filter((member) => needsSomebodyAt(member, now()))
      .map(({ incident }) => incident)
      .toSorted(byUrgency(now()));
    return worst === undefined
      ? null
      : { isUnread: false, isUndecided: false, content: stormAlertMessage({ stormId, members, worst, now: now() }) };
  }

  return {
    lifecycle: 'sent once',
    shownAs: { subjectField: 'about_id' },
    data: ALERT_DATA,
    shortestRetryMs: 5_000,

    async render({ subject, attempt, data: { dueAt, about } }) {
      const answeredAt = await store.freshness.answeredAt();
      const shown = about === 'storm' ? await findStorm(subject) : await findIncident(subject);
      if (shown === null) {
        return null;
      }
      if (shown.isUndecided) {
        return heldShortly(now());
      }
      const held = attempt === null ? heldUntilPoll(shown, { dueAt: new Date(dueAt), answeredAt, now: now() }) : null;
      return held ?? { content: shown.content };
    },

    giveUp: (message) => Promise.resolve(message.refusals < MAX_REFUSALS ? null : deleteMessage(message)),
  };
}
