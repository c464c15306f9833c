import { ServiceClientError, ServiceResponseError, ServiceUnreachableError } from '../../client/errors.ts';
import { keptReason } from '../actions/service-failure.ts';
import type { CommandWord } from '../domain/commands.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import { byUrgency } from '../domain/severity.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { incidentNotFound, serviceFailing } from '../views/answers.ts';
import { unknownButOpen } from '../views/which-incident.ts';
import type { ListenerDeps } from './deps.ts';

/** Some services respond to an unknown id as to one that is malformed. */
const UNKNOWN_STATUSES = [400, 404, 410, 422];

/** Whether the service gives no answer to anybody now, so that what is stored here is the best there is. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServiceUnreachableError || (error instanceof ServiceResponseError && error.status >= 500);
}

/**
 * What to tell a person for whom something could not be read.
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
 * The same for one incident that somebody named: if there is none, the open ones are offered.
 *
 * @param word of the command that they used
 */
export async function failedReadOf(
  deps: Pick<ListenerDeps, 'logger' | 'store' | 'now'>,
  error: unknown,
  incidentId: IncidentId,
  word: CommandWord,
): Promise<SlackMessage> {
  const message = failedRead(deps, error, incidentId);
  const open = isUnknown(error) ? (await deps.store.incidents.listOpen(null)).sort(byUrgency(deps.now())) : [];
  return open.length === 0 ? message : unknownButOpen(word, incidentId, open);
}
