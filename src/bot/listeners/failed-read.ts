import { ServiceClientError, ServiceResponseError, ServiceUnreachableError } from '../../client/errors.ts';
import { keptReason } from '../actions/service-failure.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { incidentNotFound, serviceFailing } from '../views/answers.ts';
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
  const isUnknown =
    incidentId !== null && error instanceof ServiceResponseError && UNKNOWN_STATUSES.includes(error.status);
  return isUnknown ? incidentNotFound(incidentId) : serviceFailing(keptReason(error));
}
