import { ServiceClientError } from '../../client/errors.ts';
import { keptReason } from '../delivery/service-failure.ts';
import { serviceFailing } from '../views/answers.ts';
import { incidentDetails } from '../views/incident-details.ts';
import { incidentList } from '../views/incident-list.ts';
import { type Answer, readIncident } from './answering.ts';
import type { ListenerDeps } from './deps.ts';
import { readListPage } from './list-page.ts';

export async function answerList(deps: ListenerDeps, offset: number, answer: Answer): Promise<void> {
  try {
    await answer(incidentList(await readListPage(deps.service, offset)));
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    deps.logger.warn({ err: error }, 'the open incidents could not be listed');
    await answer(serviceFailing(keptReason(error)));
  }
}

export async function answerDetails(deps: ListenerDeps, incidentId: string, answer: Answer): Promise<void> {
  const read = await readIncident(deps, incidentId, answer);
  if (read !== null) {
    await answer(incidentDetails({ ...read.incident, ...read.known?.incident }, read.known?.waiting ?? []));
  }
}
