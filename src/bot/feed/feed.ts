import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { IncidentPage, ServiceClient } from '../../client/service-client.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import type { Clock } from '../clock.ts';
import { isKeyRefused } from '../delivery/service-failure.ts';
import { isNewestFirst } from '../listeners/list-page.ts';
import { createLoop, type Loop } from '../loop.ts';
import { LANES } from '../store/lanes.ts';
import type { Store } from '../store/store.ts';
import { isUsable, readDetails } from './read-details.ts';

const PAGE_SIZE = 50;
/** A shorter silence is not worth an edit of every card. */
const STALE_MS = 2 * 60_000;
/** A service that does not list the newest first is read this far for news. */
const MAX_CLOSED_PAGES = 20;

export interface FeedState {
  /** null: not asked yet. */
  readonly isAnswering: boolean | null;
  /** When it last did; null: not since the start. */
  readonly answeredAt: Date | null;
  /** What is wrong and what to do; null while all is well. */
  readonly problem: string | null;
}

/** Follows the service by polling: what is open, what ceased to be, and what came and went between two polls. */
export interface Feed extends Loop {
  state(): FeedState;
}

export function createFeed(deps: {
  service: ServiceClient;
  serviceId: string;
  store: Store;
  /** Told once the open incidents are taken over, if there is news among them; the rest of the poll may take a while. */
  onChanged: () => void;
  /** Told after each poll that brought something, or that succeeded after failures. */
  onPolled: (poll: { isBack: boolean }) => Promise<void>;
  pollMs: number;
  logger: Logger;
  clock: Clock;
}): Feed {
  const { service, store, logger, clock } = deps;
  let state: FeedState = { isAnswering: null, answeredAt: null, problem: null };

  async function poll(stopping: AbortSignal): Promise<void> {
    const asOf = clock.now();
    const open = await readOpen(stopping);
    const changed = await store.incidents.changedAmong(open);
    for (const incident of changed) {
      await store.incidents.observe(incident, { lane: LANES.count, asOf });
    }
    if (changed.length > 0) {
      deps.onChanged();
    }
    const firstPage = await service.listIncidents({ status: 'closed', limit: PAGE_SIZE });
    const newest = [...open, ...firstPage.incidents].reduce((at, each) => Math.max(at, Date.parse(each.opened_at)), 0);
    const watermark = await store.incidents.watermark(deps.serviceId, new Date(newest));

    const seen = new Set(open.map((incident) => incident.id));
    const ceased = (await store.incidents.openIds()).filter((id) => !seen.has(id));
    for (const id of ceased) {
      stopping.throwIfAborted();
      await observeCeased(id);
    }
    await observeShortLived(firstPage, watermark, stopping);
  }

  async function readOpen(stopping: AbortSignal): Promise<IncidentSummary[]> {
    const open: IncidentSummary[] = [];
    for await (const incident of service.incidents({ status: 'open' })) {
      stopping.throwIfAborted();
      if (incident.status === 'open' && isUsable(incident)) {
        open.push(incident);
      }
    }
    return open;
  }

  /** Gone from the open list: closed, or only missed because the pages moved while they were read. */
  async function observeCeased(incidentId: string): Promise<void> {
    try {
      const asOf = clock.now();
      await store.incidents.observe(await service.getIncident(incidentId), { lane: LANES.state, asOf });
    } catch (error) {
      if (!(error instanceof ServiceResponseError) || (error.status !== 404 && error.status !== 410)) {
        throw error;
      }
      logger.warn({ incidentId }, 'the service no longer knows an incident; its card stays as it is');
      await store.incidents.markGone(incidentId);
    }
  }

  /** Incidents that opened and closed since the last poll: they get a card too. */
  async function observeShortLived(firstPage: IncidentPage, watermark: Date, stopping: AbortSignal): Promise<void> {
    let page = firstPage;
    let offset = 0;
    for (let number = 1; number <= MAX_CLOSED_PAGES; number += 1) {
      const news = await newsOf(page.incidents, watermark);
      for (const incident of news) {
        stopping.throwIfAborted();
        const asOf = clock.now();
        await store.incidents.observe(await readDetails(service, incident), { lane: LANES.opened, asOf, isNews: true });
      }
      const isNewsPossible = page.hasMore && (news.length > 0 || !isNewestFirst(page.incidents));
      if (!isNewsPossible || page.incidents.length === 0) {
        return;
      }
      offset += page.incidents.length;
      page = await service.listIncidents({ status: 'closed', limit: PAGE_SIZE, offset });
    }
  }

  async function newsOf(incidents: readonly IncidentSummary[], watermark: Date): Promise<IncidentSummary[]> {
    const fresh = incidents.filter(
      (incident) => incident.status === 'closed' && isUsable(incident) && new Date(incident.opened_at) > watermark,
    );
    const known = await store.incidents.knownAmong(fresh.map((incident) => incident.id));
    return fresh.filter((incident) => !known.has(incident.id));
  }

  /** How long a poll takes is part of the time between two, unless the service is slow: then it gets a rest. */
  function pauseSince(began: Date): number {
    const periodMs = deps.pollMs * (0.9 + Math.random() * 0.2);
    const leftMs = periodMs - (clock.now().getTime() - began.getTime());
    return Math.min(Math.max(leftMs, periodMs / 2), periodMs); // whatever somebody does to the clock
  }

  async function step(stopping: AbortSignal): Promise<number> {
    const before = state;
    const began = clock.now();
    try {
      await poll(stopping);
      await store.freshness.answered(deps.serviceId, clock.now());
      state = { isAnswering: true, answeredAt: clock.now(), problem: null };
    } catch (error) {
      if (stopping.aborted) {
        return deps.pollMs;
      }
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      await store.freshness.silent(deps.serviceId, clock.now(), STALE_MS);
      state = { isAnswering: false, answeredAt: before.answeredAt, problem: describeProblem(error) };
      if (before.problem !== state.problem) {
        logger.warn({ err: error }, 'the incident service cannot be followed, trying again');
      }
    }
    if (state.isAnswering === true) {
      const isBack = before.isAnswering === false;
      if (isBack) {
        logger.info('the incident service answers again');
      }
      await deps.onPolled({ isBack });
    }
    return pauseSince(began);
  }

  const loop = createLoop({ name: 'feed', step, retryMs: deps.pollMs, logger, clock });
  return { ...loop, [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](), state: () => state };
}

function describeProblem(error: ServiceClientError): string {
  if (isKeyRefused(error)) {
    return 'The incident service refuses the API key: check INCIDENTS_API_KEY.';
  }
  return error instanceof ServiceResponseError
    ? `The incident service answers ${error.status}; it is asked again all the time.`
    : 'The incident service does not answer as it should at INCIDENTS_BASE_URL; it is asked again all the time.';
}
