import { NotOfferedError, ServiceClientError } from '../../client/errors.ts';
import type { Incident } from '../../contract/resources.ts';
import { refusedReason } from '../actions/service-failure.ts';
import { closest } from '../domain/closest.ts';
import { shiftOf } from '../handover/shift.ts';
import { incidentStats } from './stats.ts';
import { incidentNotFound } from '../views/answers.ts';
import { dashboardLink, noDashboard, plainDashboardLink } from '../sign-in/dashboard-link-view.ts';
import { handoverMessage } from '../handover/handover-view.ts';
import { noneOf, statsMessage, unknownService } from './stats-view.ts';
import { whichIncident } from '../views/which-incident.ts';
import type { Answer } from '../listeners/answering.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { failedRead } from '../listeners/failed-read.ts';
import { readIncidents } from '../listeners/read-incidents.ts';
import { findReferences } from '../listeners/references.ts';
import { answers, type CommandRequest } from '../listeners/command-handler.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Services that a mistyped name is compared with. */
const MOST_NAMES = 200;
const SHIFT_MS = 8 * HOUR_MS;

type Run = (deps: ListenerDeps, request: CommandRequest, answer: Answer) => Promise<void>;

/** Says so if the service fails. */
function withService(run: Run): Run {
  return async (deps, request, answer) => {
    try {
      await run(deps, request, answer);
    } catch (error) {
      await answer(failedRead(deps, error, null));
    }
  };
}

export const handleStats = answers(
  withService(async (deps, { filter: { service, periodMs } }, answer) => {
    const period = periodMs ?? WEEK_MS;
    const since = deps.now().getTime() - period;
    const name = service?.toLowerCase();
    const { incidents, isCut } = await readIncidents(
      deps,
      ({ opened_at, root_service, services = [] }) =>
        Date.parse(opened_at) >= since &&
        (name === undefined || [root_service, ...services].some((each) => each.toLowerCase() === name)),
    );
    if (service !== null && incidents.length === 0) {
      const names = await deps.store.serviceNames.matching('', MOST_NAMES);
      const isKnown = names.some((each) => each.toLowerCase() === name);
      return answer(isKnown ? noneOf(service, period) : unknownService(service, closest(service, names)));
    }
    await answer(statsMessage(incidentStats(incidents), { periodMs: period, service, isCut }));
  }),
);

/** Posts to the channel; if Slack refuses that, only the person sees it. */
export const handleHandover = answers(
  withService(async (deps, { filter, respond }, answer) => {
    const to = deps.now();
    const from = new Date(to.getTime() - (filter.periodMs ?? SHIFT_MS));
    const stored = new Set((await deps.store.incidents.since(from)).map(({ id }) => id));
    const { incidents } = await readIncidents(
      deps,
      ({ id, status, closed_at: at }) => status === 'open' || (at == null ? stored.has(id) : new Date(at) >= from),
    );
    const message = handoverMessage(shiftOf(incidents, { from, to }));
    try {
      await respond({ ...message, response_type: 'in_channel', replace_original: false });
    } catch (err) {
      deps.logger.warn({ err }, 'a handover could not be posted to the channel');
      await answer(message);
    }
  }),
);

/** A link for the person alone, to the page of the incident that they name. Its role follows what they may do here. */
export const handleDashboard = answers(
  withService(async (deps, { asker, references }, answer) => {
    const { ids, questions } =
      references.length === 0
        ? { ids: [], questions: [] }
        : await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
    const [question] = questions;
    const [incidentId] = ids;
    if (question !== undefined) {
      return await answer(whichIncident('show', question));
    }
    const incident = incidentId === undefined ? null : await findIncident(deps, incidentId);
    if (incidentId !== undefined && incident === null) {
      return await answer(incidentNotFound(references[0] ?? incidentId));
    }
    const page = URL.parse(incident?.url ?? '')?.pathname;
    try {
      const link = await deps.createDashboardLink(asker.slackUserId, page);
      return await answer(dashboardLink({ ...link, number: incident?.number ?? null }));
    } catch (error) {
      if (!(error instanceof NotOfferedError)) {
        throw error;
      }
    }
    const known = incident ?? (await deps.service.listIncidents({ limit: 1 })).incidents[0];
    await answer(known?.url === undefined ? noDashboard() : plainDashboardLink(known.url));
  }),
);

/** @returns null: the service does not know it */
async function findIncident({ service }: ListenerDeps, id: string): Promise<Incident | null> {
  try {
    return await service.getIncident(id);
  } catch (error) {
    if (error instanceof ServiceClientError && refusedReason(error)?.kind === 'unknown-incident') {
      return null;
    }
    throw error;
  }
}
