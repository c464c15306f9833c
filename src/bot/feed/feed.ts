import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { IncidentSummary } from '../../contract/resources.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop, type Loop } from '../../runtime/loop.ts';
import { isKeyRefused } from '../actions/service-failure.ts';
import type { Freshness } from '../incident/freshness.ts';
import { isTakenBack, reportsAcknowledgement } from '../incident/incident.ts';
import type { IncidentStore } from '../incident/incidents.ts';
import { byOpening } from '../incident/opening-order.ts';
import { lacksDetails } from '../incident/snapshot.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { InstallationStore } from '../start/installation.ts';
import { type ClosedPage, readNewestClosed } from './closed-pages.ts';
import { askedPauseMs, createSingleReader, isUsable, readDetails, type SingleReader } from './read-details.ts';

/** Cards are marked stale after this; a shorter outage is not worth an edit of every card. */
const STALE_MS = 2 * 60_000;
/** Pages of closed incidents that one poll reads, also after a long downtime. */
const MOST_CLOSED_PAGES = 20;
/** Incidents that each poll reads individually if the list does not report acknowledgements. */
const MOST_READ = 5;
/** Incidents whose details one poll reads. The others are read when they change again. */
const MOST_DETAILS = 50;

export interface FeedState {
  /** null: not known yet. */
  readonly isAnswering: boolean | null;
  /** When it last responded; null: not since the start. */
  readonly answeredAt: Date | null;
  /** What is wrong and what to do; null: nothing. */
  readonly problem: string | null;
}

/** Polls the service for open incidents, incidents that closed, and incidents that opened and closed between two polls. */
export interface Feed extends Loop {
  state(): FeedState;
}

export function createFeed(deps: {
  service: ServiceClient;
  serviceId: string;
  store: { readonly incidents: IncidentStore; readonly installation: InstallationStore; readonly freshness: Freshness };
  /** Called once the open incidents are stored, if any changed. The rest of the poll may take a while. */
  onChanged: () => void;
  /** Called after each successful poll. */
  onPolled: (poll: { isBack: boolean }) => Promise<void>;
  /** Measures the clock that all processes share. */
  syncClock: () => Promise<void>;
  pollMs: number;
  logger: Logger;
  clock: Clock;
}): Feed {
  const { service, store, logger, clock } = deps;
  let state: FeedState = { isAnswering: null, answeredAt: null, problem: null };
  /** Ids of incidents that could not be read, most recently tried last. */
  let failing = new Set<string>();
  let lastReadId = '';

  async function poll(stopping: AbortSignal): Promise<void> {
    await deps.syncClock();
    const asOf = clock.now();
    const open = await readOpen(stopping);
    const changed = await store.incidents.changedAmong(open);
    const before = await store.incidents.findAll(changed.map(({ id }) => id));
    const incomplete: string[] = [];
    for (const incident of changed.toSorted(byOpening)) {
      const { known } = await store.incidents.observe(incident, { urgency: URGENCY.count, asOf });
      const earlier = before.get(incident.id);
      const isReleased = earlier !== undefined && isTakenBack(earlier, incident);
      if (known !== null && (isReleased || lacksDetails(known.incident))) {
        incomplete.push(incident.id);
      }
    }
    if (changed.length > 0) {
      deps.onChanged();
    }
    const closed = await readNewestClosed(service);
    const newest = [...open, ...closed.incidents].reduce((at, each) => Math.max(at, Date.parse(each.opened_at)), 0);
    const watermark = await store.installation.watermark(deps.serviceId, new Date(newest));

    const readSingle = createSingleReader(service, logger);
    const unread = await observeUnlisted(open, closed.incidents, readSingle, stopping);
    await observeShortLived(closed, watermark, readSingle, stopping);
    await readAcknowledgements(open, readSingle, stopping);
    await readAndStore(incomplete.slice(-MOST_DETAILS), readSingle, stopping);
    await store.freshness.answered(asOf, unread);
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

  /**
   * Reads incidents that left the open list: closed, or only missed because the pages shifted between two reads.
   *
   * @returns those that could not be read
   */
  async function observeUnlisted(
    open: readonly IncidentSummary[],
    closed: readonly IncidentSummary[],
    readSingle: SingleReader,
    stopping: AbortSignal,
  ): Promise<IncidentId[]> {
    const seen = new Set(open.map(({ id }) => id));
    const unlisted = (await store.incidents.openIds()).filter((id) => !seen.has(id));
    const listed = new Map(closed.map((incident) => [incident.id, incident]));
    const failedBefore = [...failing].filter((id) => unlisted.includes(id));
    const inTurn = [...unlisted.filter((id) => !failing.has(id)), ...failedBefore];
    failing = new Set(failedBefore);
    const unread: IncidentId[] = [];
    for (const id of inTurn) {
      stopping.throwIfAborted();
      const asOf = clock.now();
      const single = await readSingle(id);
      if (single.kind !== 'skipped') {
        failing.delete(id);
      }
      if (single.kind === 'failed') {
        failing.add(id);
      }
      const incident = single.kind === 'read' ? single.incident : listed.get(id);
      if (incident !== undefined) {
        await store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
      } else if (single.kind === 'gone') {
        logger.warn({ incidentId: id }, 'the service no longer has an incident; its card says so');
        await store.incidents.markGone(id);
      } else {
        unread.push(id);
      }
    }
    return unread;
  }

  /** Reads acknowledgements from single incidents if the list does not report them. */
  async function readAcknowledgements(
    open: readonly IncidentSummary[],
    readSingle: SingleReader,
    stopping: AbortSignal,
  ): Promise<void> {
    const silent = open
      .filter((incident) => !reportsAcknowledgement(incident))
      .map(({ id }) => id)
      .sort();
    const inTurn = [...silent.filter((id) => id > lastReadId), ...silent.filter((id) => id <= lastReadId)];
    const ids = inTurn.slice(0, MOST_READ);
    lastReadId = ids.at(-1) ?? lastReadId;
    await readAndStore(ids, readSingle, stopping);
  }

  async function readAndStore(ids: readonly string[], readSingle: SingleReader, stopping: AbortSignal): Promise<void> {
    for (const id of ids) {
      stopping.throwIfAborted();
      const asOf = clock.now();
      const single = await readSingle(id);
      if (single.kind === 'read') {
        await store.incidents.observe(single.incident, { urgency: URGENCY.state, asOf });
      }
    }
  }

  /** Stores incidents that opened and closed since the last poll; they get a card too. */
  async function observeShortLived(
    newest: ClosedPage,
    watermark: Date,
    readSingle: SingleReader,
    stopping: AbortSignal,
  ): Promise<void> {
    let page = newest;
    for (let number = 1; number <= MOST_CLOSED_PAGES; number += 1) {
      const unseen = await findUnseen(page.incidents, watermark);
      for (const incident of unseen) {
        stopping.throwIfAborted();
        const asOf = clock.now();
        const details = await readDetails(readSingle, incident);
        await store.incidents.observe(details, { urgency: URGENCY.opened, asOf, storesClosed: true });
      }
      if (unseen.length === 0 || page.older === null) {
        return;
      }
      page = await page.older();
    }
  }

  async function findUnseen(incidents: readonly IncidentSummary[], watermark: Date): Promise<IncidentSummary[]> {
    const fresh = incidents.filter(
      (incident) => incident.status === 'closed' && isUsable(incident) && new Date(incident.opened_at) > watermark,
    );
    const known = await store.incidents.knownAmong(fresh.map((incident) => incident.id));
    return fresh.filter((incident) => !known.has(incident.id));
  }

  /** Delay until the next poll. The duration of the poll counts, but the delay is at least half the period. */
  function pauseSince(began: Date): number {
    const periodMs = deps.pollMs * (0.9 + Math.random() * 0.2);
    const leftMs = periodMs - (clock.now().getTime() - began.getTime());
    return Math.min(Math.max(leftMs, periodMs / 2), periodMs); // bounded in case the clock is changed
  }

  async function step(stopping: AbortSignal): Promise<number> {
    const before = state;
    const began = clock.now();
    let askedMs = 0;
    try {
      await poll(stopping);
      state = { isAnswering: true, answeredAt: clock.now(), problem: null };
    } catch (error) {
      if (stopping.aborted) {
        return deps.pollMs;
      }
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      await store.freshness.failed(STALE_MS);
      state = { isAnswering: false, answeredAt: before.answeredAt, problem: describeProblem(error) };
      askedMs = askedPauseMs(error);
      if (before.problem !== state.problem) {
        logger.warn({ err: error }, 'polling the incident service failed; retrying');
      }
    }
    if (state.isAnswering === true) {
      const isBack = before.isAnswering === false;
      if (isBack) {
        logger.info('the incident service responds again');
      }
      await deps.onPolled({ isBack });
    }
    return Math.max(pauseSince(began), askedMs);
  }

  const loop = createLoop({
    name: 'feed',
    step,
    retry: { firstMs: deps.pollMs, longestMs: deps.pollMs },
    logger,
    clock,
  });
  return { ...loop, state: () => state };
}

function describeProblem(error: ServiceClientError): string {
  if (isKeyRefused(error)) {
    return 'The incident service refuses the API key: check INCIDENTS_API_KEY.';
  }
  return error instanceof ServiceResponseError
    ? `The incident service responds with status ${error.status}; retrying.`
    : 'The incident service does not respond as expected at INCIDENTS_BASE_URL; retrying.';
}
