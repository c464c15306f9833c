import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import type { IncidentId } from '../slack/identifiers.ts';

/** An id with control characters or unpaired surrogates cannot be used in a URL path. */
const UNUSABLE_ID = /[\p{Cc}\p{Cs}]/u;

/** Upper bound for `Retry-After`: the service may be back sooner, and people may be woken by what it says. */
const LONGEST_PAUSE_MS = 5 * 60_000;

/** How long the service asked to be left alone, in milliseconds; 0: it did not. */
export function askedPauseMs(error: unknown): number {
  const askedMs = error instanceof ServiceResponseError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.min(askedMs, LONGEST_PAUSE_MS);
}

/** A third failure in a row would open the client's circuit breaker, which also delays requests of people. */
const MOST_FAILURES = 2;

export function isUsable(incident: IncidentSummary): boolean {
  return !UNUSABLE_ID.test(incident.id);
}

/** `gone`: the service does not have it. `failed`: the request failed. `skipped`: not requested. */
type Single = { readonly kind: 'read'; readonly incident: Incident } | { readonly kind: 'gone' | 'failed' | 'skipped' };

export type SingleReader = (incidentId: IncidentId) => Promise<Single>;

/** Reads single incidents until two requests have failed. A failure of one incident does not affect the others. */
export function createSingleReader(service: ServiceClient, logger: Logger): SingleReader {
  let failures = 0;
  return async (incidentId) => {
    if (failures >= MOST_FAILURES) {
      return { kind: 'skipped' };
    }
    try {
      return { kind: 'read', incident: await service.getIncident(incidentId) };
    } catch (error) {
      if (error instanceof ServiceResponseError && (error.status === 404 || error.status === 410)) {
        return { kind: 'gone' };
      }
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      failures += 1;
      logger.warn({ err: error, incidentId }, 'an incident could not be read');
      return { kind: 'failed' };
    }
  };
}

/** Reads the note and who closed the incident. Falls back to the list item if the incident cannot be read. */
export async function readDetails(readSingle: SingleReader, incident: IncidentSummary): Promise<Incident> {
  const single = await readSingle(incident.id);
  return single.kind === 'read' ? { ...incident, ...single.incident } : incident;
}
