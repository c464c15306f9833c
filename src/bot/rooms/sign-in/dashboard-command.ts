import { NotOfferedError, ServiceClientError } from '../../../client/errors.ts';
import type { Incident } from '../../../contract/resources.ts';
import { mayNotAct } from '../../actions/refusal-words.ts';
import { refusedReason } from '../../actions/service-failure.ts';
import { answers } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut } from '../../listeners/failed-read.ts';
import { findReferences } from '../../listeners/references.ts';
import { whichIncident } from '../../listeners/which-incident.ts';
import { withService } from '../../listeners/with-service.ts';
import { dashboardLink, noDashboard, plainDashboardLink } from './dashboard-link-view.ts';
import type { CreateDashboardLink } from './dashboard-links.ts';

/** What this room needs beside what all listeners share. */
export type SignInDeps = ListenerDeps & { readonly createDashboardLink: CreateDashboardLink };

/** A link for the person alone, to the page of the incident that they name. Its role follows what they may do here. */
export const handleDashboard = answers(
  withService(async (deps: SignInDeps, { asker, references }, answer) => {
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
      return await answer(await notFoundBut(deps, references[0] ?? incidentId, 'dashboard'));
    }
    const page = URL.parse(incident?.url ?? '')?.pathname;
    try {
      const link = await deps.createDashboardLink(asker.slackUserId, page);
      return await answer(
        link === null ? mayNotAct({ kind: 'unknown' }) : dashboardLink({ ...link, number: incident?.number ?? null }),
      );
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
async function findIncident({ service }: SignInDeps, id: string): Promise<Incident | null> {
  try {
    return await service.getIncident(id);
  } catch (error) {
    if (error instanceof ServiceClientError && refusedReason(error)?.kind === 'unknown-incident') {
      return null;
    }
    throw error;
  }
}
