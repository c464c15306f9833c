import type { Logger } from 'pino';
import { ContractViolationError, ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceEvent } from '../../client/event-stream.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { EventIncident, PageEvent } from '../../contract/events.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { isTakenBack } from '../incident/incident.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import { lacksDetails, mergeSnapshot } from '../incident/snapshot.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { NoticeStore } from '../messages/notices.ts';
import { isOver } from '../rooms/sign-in/sign-in-request.ts';
import type { SignInStore } from '../rooms/sign-in/sign-ins.ts';
import { slackErrorCode } from '../slack/errors.ts';
import type { People } from '../slack/people.ts';
import { disabledIntegration } from './disabled-integration.ts';
import { askedPauseMs, createSingleReader, isUsable, readDetails } from './read-details.ts';

/** Delay before a service that never had an event stream is asked again, because it may have been upgraded. */
const NOT_OFFERED_RETRY_MS = 15 * 60_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Follows the service's event stream, if it has one, so that changes show sooner than the next poll. Polling finds what
 * the stream misses.
 */
export interface EventFeed extends Loop {
  /** Whether the stream is connected. */
  isFollowing(): boolean;
}

export function createEventFeed(deps: {
  service: ServiceClient;
  store: { readonly incidents: IncidentStore; readonly notices: NoticeStore; readonly signIns: SignInStore };
  people: Pick<People, 'findByEmail'>;
  /** Who is woken by direct messages. */
  wakes: { tell(event: PageEvent): Promise<void>; catchUp(): Promise<void> };
  /** Called after each change of what cards show. */
  onChanged: () => void;
  logger: Logger;
  clock: Clock;
}): EventFeed {
  const { service, store, logger, clock } = deps;
  let lastEventId: string | null = null;
  let isFollowing = false;
  let wasFollowing = false;
  let failures = 0;

  async function follow(stopping: AbortSignal): Promise<void> {
    const leaving = new AbortController();
    try {
      const signal = AbortSignal.any([stopping, leaving.signal]);
      const events = await service.followEvents({ lastEventId, signal });
      isFollowing = true;
      wasFollowing = true;
      if (lastEventId === null) {
        await deps.wakes.catchUp();
      }
      logger.info('following the event stream of the incident service');
      for await (const event of events) {
        failures = 0;
        await handle(event);
        lastEventId = event.id;
      }
    } finally {
      leaving.abort();
      isFollowing = false;
    }
  }

  async function handle({ id, type, incident, integration, signIn, page }: ServiceEvent): Promise<void> {
    if (type === 'integration.disabled' && integration !== null) {
      await store.notices.post(id, disabledIntegration(integration));
      deps.onChanged();
    }
    if (signIn !== null) {
      await sendLink(id, signIn);
    }
    if (page !== null) {
      await deps.wakes.tell(page);
    }
    if (incident === null || !isUsable(incident)) {
      return;
    }
    const asOf = clock.now();
    const isNew = type === 'incident.opened' && incident.updated_at !== undefined && hasDetails(incident);
    const known = isNew ? null : await store.incidents.find(incident.id); // an event older than what is stored changes nothing
    const isWorthReading =
      incident.status === 'closed' ||
      (known !== null && isTakenBack(known.incident, incident)) ||
      (!hasDetails(incident) && lacksDetails(mergeSnapshot(known?.incident ?? null, incident)));
    const readSingle = createSingleReader(service, logger);
    const details = isWorthReading ? await readDetails(readSingle, incident) : incident;
    const { hasChanged } = await store.incidents.observe(details, {
      urgency: type === 'incident.updated' ? URGENCY.count : URGENCY.state,
      asOf,
      isFirst: type === 'incident.opened',
      storesClosed: true,
      mayLag: true,
    });
    if (hasChanged) {
      deps.onChanged();
    }
  }

  /** Queues a sign-in link. Does not retry a failed look-up, because other events wait and the person can ask again. */
  async function sendLink(id: string, { email, returnTo, at }: NonNullable<ServiceEvent['signIn']>): Promise<void> {
    if (isOver(at, clock.now())) {
      return;
    }
    try {
      const slackUserId = await deps.people.findByEmail(email);
      if (slackUserId !== null) {
        await store.signIns.ask(id, { slackUserId, returnTo, askedAt: at });
        deps.onChanged();
      }
    } catch (error) {
      logger.warn({ reason: slackErrorCode(error) }, 'who asks for a sign-in link could not be looked up');
    }
  }

  /**
   * @param error null: the stream ended without an error
   * @returns milliseconds until the next attempt
   */
  function pauseAfter(error: unknown): number {
    if (error !== null && !(error instanceof ServiceClientError)) {
      logger.warn({ err: error }, 'the event stream was interrupted; polling continues');
    } else if (error !== null && !wasFollowing && isNotOffered(error)) {
      return NOT_OFFERED_RETRY_MS;
    } else if (error instanceof ServiceResponseError && error.status === 410) {
      lastEventId = null; // expired: polling has found the changes since then
    }
    failures += 1;
    const delayMs = backoffMs({ firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS }, failures);
    return Math.max(askedPauseMs(error), delayMs * (0.5 + Math.random() * 0.5));
  }

  async function step(stopping: AbortSignal): Promise<number> {
    const began = clock.now().getTime();
    let error: unknown = null;
    try {
      await follow(stopping);
    } catch (failure) {
      error = failure;
    }
    if (clock.now().getTime() - began > LONGEST_RETRY_MS) {
      failures = 0; // the connection worked, even without events
    }
    return stopping.aborted ? 0 : pauseAfter(error);
  }

  const loop = createLoop({
    name: 'events',
    step,
    retry: { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS },
    logger,
    clock,
  });
  return { ...loop, isFollowing: () => isFollowing };
}

/** Whether the event holds all that a card shows. */
function hasDetails({ correlation, similar }: EventIncident): boolean {
  return correlation?.candidates !== undefined && similar !== undefined;
}

/** The service has no event stream at this address. */
function isNotOffered(error: ServiceClientError): boolean {
  return (
    error instanceof ContractViolationError ||
    (error instanceof ServiceResponseError && [400, 404, 405, 406, 501].includes(error.status))
  );
}
