import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import { URGENCY } from '../domain/urgency.ts';
import { keptReason } from '../service-writes/service-failure.ts';
import { incidentNotFound, serviceFailing } from '../views/answers.ts';
import { incidentDetails } from '../views/incident-details.ts';
import { incidentList } from '../views/incident-list.ts';
import type { Answer } from './answering.ts';
import type { ListenerDeps } from './deps.ts';
import { readListPage } from './list-page.ts';

export async function answerList(deps: ListenerDeps, offset: number, answer: Answer): Promise<void> {
  try {
    await answer(incidentList(await readListPage(deps, offset)));
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    deps.logger.warn({ err: error }, 'the open incidents could not be listed');
    await answer(serviceFailing(keptReason(error)));
  }
}

export async function answerDetails(deps: ListenerDeps, incidentId: string, answer: Answer): Promise<void> {
  const asOf = deps.now();
  try {
    const incident = await deps.service.getIncident(incidentId);
    const { known } = await deps.store.incidents.observe(incident, { urgency: URGENCY.state, asOf });
    const { traceUrl } = deps;
    await answer(incidentDetails({ ...known, incident: { ...incident, ...known?.incident }, traceUrl }));
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    deps.logger.warn({ err: error, incidentId }, 'an incident could not be read');
    const isUnknown = error instanceof ServiceResponseError && [400, 404, 410, 422].includes(error.status);
    await answer(isUnknown ? incidentNotFound(incidentId) : serviceFailing(keptReason(error)));
  }
}
