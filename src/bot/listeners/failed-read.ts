import { ServiceClientError, ServiceResponseError, ServiceUnreachableError } from '../../client/errors.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import { keptReason } from '../actions/service-failure.ts';
import { byUrgency } from '../incident/severity.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import { incidentNotFound, serviceFailing } from './answers.ts';
import type { ListenerDeps } from './deps.ts';
import { unknownButOpen } from './which-incident.ts';

const LOOK_UP_MS = 1_200;

/** Statuses for an unknown id. Some services treat it as malformed. */
const UNKNOWN_STATUSES = [400, 404, 410, 422];

/** Whether the service is down for everybody, so that stored data is the best available. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServiceUnreachableError || (error instanceof ServiceResponseError && error.status >= 500);
}

/**
 * Logs a failed read and returns the answer for the person.
 *
 * @param incidentId what was asked for; null: more than one incident
 * @throws `error` if the service did not cause it
 */
export function failedRead(
  { logger }: Pick<ListenerDeps, 'logger'>,
  error: unknown,
  incidentId: IncidentId | null,
): SlackMessage {
  if (!(error instanceof ServiceClientError)) {
    throw error;
  }
  logger.warn(
    { err: error, ...(incidentId !== null && { incidentId }) },
    'the service did not return what was asked for',
  );
  return incidentId !== null && isUnknown(error) ? incidentNotFound(incidentId) : serviceFailing(keptReason(error));
}

function isUnknown(error: unknown): boolean {
  return error instanceof ServiceResponseError && UNKNOWN_STATUSES.includes(error.status);
}

/**
 * Like `failedRead`, for one incident that somebody named. If it does not exist, the answer offers the open ones.
 *
 * @param word the command that the person used
 */
export async function failedReadOf(
  deps: Pick<ListenerDeps, 'logger' | 'store' | 'now'>,
  error: unknown,
  incidentId: IncidentId,
  word: string,
): Promise<SlackMessage> {
  const message = failedRead(deps, error, incidentId);
  return isUnknown(error) ? notFoundBut(deps, incidentId, word) : message;
}

/** All that is open, the worst first. */
export async function openIncidents({ store, now }: Pick<ListenerDeps, 'store' | 'now'>): Promise<readonly Snapshot[]> {
  return (await store.incidents.listOpen(null)).sort(byUrgency(now()));
}

/** Whether the service says in time for a form, whose trigger expires after three seconds, that there is no such incident. */
export async function isNowhere(
  { store, service }: Pick<ListenerDeps, 'store' | 'service'>,
  incidentId: IncidentId,
): Promise<boolean> {
  if ((await store.incidents.find(incidentId)) !== null) {
    return false;
  }
  return withTimeout(LOOK_UP_MS, () => service.getIncident(incidentId)).then(() => false, isUnknown);
}

/**
 * There is no such incident. The answer offers the open ones.
 *
 * @param word the command that the person used
 */
export async function notFoundBut(
  { store, now }: Pick<ListenerDeps, 'store' | 'now'>,
  typed: string,
  word: string,
): Promise<SlackMessage> {
  const open = await openIncidents({ store, now });
  return open.length === 0 ? incidentNotFound(typed) : unknownButOpen(word, typed, open);
}
