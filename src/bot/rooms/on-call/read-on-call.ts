import type { KnownBlock } from '@slack/types';
import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import type { Schedule, Shift } from '../../../contract/on-call.ts';
import type { Page } from '../../../contract/waking.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { addDays } from '../../../runtime/dates.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { inline } from '../../blocks/mrkdwn.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import { wakeValue } from '../wake/wake-button.ts';
import { onCallHome, onCallLines } from './oncall-view.ts';

const AHEAD_DAYS = 30;
/** Whoever waits for it sees the rest without it. */
const LOOK_UP_MS = 1_500;
const NAME_LENGTH = 80;

/** Who is on call, as Home and "Show" tell it. Both say nothing where the service does not. */
export interface ReadOnCall {
  home(slackUserId: SlackUserId): Promise<KnownBlock[]>;
  /** Lines for an incident. */
  lines(incident: Snapshot): Promise<readonly string[]>;
}

export function createReadOnCall({
  service,
  incidents,
  now,
}: {
  readonly service: Pick<
    ServiceClient,
    'findPerson' | 'listPages' | 'listPagesOf' | 'listSchedules' | 'listShifts' | 'readOnCall'
  >;
  readonly incidents: Pick<IncidentStore, 'findAll'>;
  readonly now: () => Date;
}): ReadOnCall {
  async function orNothing<T>(read: () => Promise<T[]>): Promise<T[]> {
    return withTimeout(LOOK_UP_MS, read).catch(() => []);
  }

  /** With the incident in words, or the policy of a drill. */
  async function named(live: readonly Live[]) {
    const known = await incidents.findAll(live.flatMap(({ incidentId }) => incidentId ?? []));
    return live.map(({ incidentId, policy, answer }) => {
      const incident = incidentId === null ? undefined : known.get(incidentId);
      return { answer, text: incident === undefined ? inline(policy, NAME_LENGTH) : plainHeadline(incident) };
    });
  }

  return {
    home: (slackUserId) =>
      orNothing(async () => {
        const [schedules, person] = await Promise.all([
          service.listSchedules(),
          service.findPerson(idOfSlackUser(slackUserId)),
        ]);
        const pages = person === null ? [] : await service.listPages();
        const turns = person === null ? [] : await turnsOf(service, schedules, person.id, now());
        return onCallHome({
          schedules,
          mine: turns[0] ?? null,
          live: await named(pages.flatMap((page) => liveFor(page, person?.id ?? ''))),
        });
      }),

    lines: (incident) =>
      orNothing(async () => {
        if (incident.status === 'closed' || incident.mute === undefined) {
          return []; // another service is not asked for what it does not have
        }
        const [woken, schedules, pages] = await Promise.all([
          service.readOnCall(incident.root_service),
          service.listSchedules(),
          service.listPagesOf(incident.id),
        ]);
        return onCallLines(woken, schedules, pages, !isAcknowledged(incident));
      }),
  };
}

/** The turns of a person in the next 30 days, the first to begin first. */
export async function turnsOf(
  service: Pick<ServiceClient, 'listShifts'>,
  schedules: readonly Schedule[],
  personId: string,
  from: Date,
): Promise<(Shift & { readonly schedule: string; readonly scheduleId: string })[]> {
  const all = schedules.map(async ({ id, name }) => {
    const shifts = await service.listShifts(id, from, addDays(from, AHEAD_DAYS));
    return shifts
      .filter(({ person }) => person?.id === personId)
      .map((shift) => ({ ...shift, schedule: name, scheduleId: id }));
  });
  return (await Promise.all(all)).flat().toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from));
}

interface Live {
  /** null: a drill. */
  readonly incidentId: string | null;
  readonly policy: string;
  /** The value of the button. */
  readonly answer: string;
}

/** What somebody is asked in a page that is live. */
function liveFor({ id, ended_at: endedAt, incident_id: incidentId, policy, attempts }: Page, personId: string): Live[] {
  const asked = attempts.findLast(({ person_id: person, began_at: began }) => person === personId && began !== null);
  const isAnswered = attempts.some(({ person_id: person, state }) => person === personId && state === 'answered');
  return endedAt !== null || asked === undefined || isAnswered
    ? []
    : [{ incidentId, policy, answer: wakeValue(id, asked.id) }];
}
