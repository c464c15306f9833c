import { sql } from 'kysely';
import { z } from 'zod';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import { subHours, subMilliseconds } from '../../../runtime/dates.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { MessageKind } from '../../messages/kind.ts';
import type { Message } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import type { ChannelId } from '../../slack/identifiers.ts';
import { lastWeekdayAt, nextWeekdayAt } from '../rules/quiet-hours.ts';
import type { RuleStore } from '../rules/rules.ts';
import { handoverMessage } from './handover-view.ts';
import { shiftOf } from './shift.ts';

/** The time of the last one. */
const HANDOVER_DATA = z.object({ sentFor: z.string().optional() });

declare module '../../messages/message.ts' {
  interface MessageTypes {
    /** About a rule. */
    handover: { placeId: ChannelId; subject: string; data: z.infer<typeof HANDOVER_DATA>; attemptData: null };
  }
}

/** A handover that could not be posted for so long is left out. */
const LATEST_HOURS = 4;

/** The summary that a rule asks for on each weekday. Its message is held until the next one is due. */
export function createHandoverKind(deps: {
  store: { readonly incidents: IncidentStore; readonly rules: RuleStore };
  now: () => Date;
}): MessageKind<'handover'> {
  const { store, now } = deps;
  return {
    lifecycle: 'sent once',
    shownAs: { subjectField: 'rule_id' },
    data: HANDOVER_DATA,
    shortestRetryMs: 5_000,

    async render(message) {
      const rule = await store.rules.find(message.subject);
      if (rule === null || rule.handover === null) {
        return null;
      }
      const { at, timeZone } = rule.handover;
      const dueAt = lastWeekdayAt(at, timeZone, now());
      const isSent = message.data.sentFor !== undefined && new Date(message.data.sentFor) >= dueAt;
      const isMissed = dueAt <= rule.changedAt || dueAt < subHours(now(), LATEST_HOURS);
      if (message.attempt === null && (isSent || isMissed)) {
        return { heldUntil: nextWeekdayAt(at, timeZone, now()) };
      }
      const since = lastWeekdayAt(at, timeZone, subMilliseconds(dueAt, 1));
      const incidents = await store.incidents.since(since);
      return {
        content: handoverMessage(
          shiftOf(
            incidents.filter((incident) => matchesFilter(rule.filter, incident)),
            { from: since, to: dueAt },
          ),
        ),
        hasMore: true,
        also: () => recordHandover(message, dueAt),
      };
    },
  };
}

/** Stores for which time the handover of a rule was posted. */
function recordHandover({ id }: Message, sentFor: Date): Writes {
  return async (tx) => {
    await sql`
      update messages set data = data || ${JSON.stringify({ sentFor })}::jsonb where id = ${id}`.execute(tx);
  };
}
