import { withTimeout } from '../../../runtime/timeout.ts';
import type { Answer, Asker } from '../../listeners/answering.ts';
import { onFormClick } from '../../listeners/buttons.ts';
import { opensForm } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut } from '../../listeners/failed-read.ts';
import { openForm } from '../../listeners/open-form.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import { steerModal } from './steer-modal.ts';

/** The trigger of the form expires after three seconds. It opens without the groups if they come later. */
const LOOK_UP_MS = 1_200;

/** `/incidents change #142`; without a number, of the only open incident, or it asks which. */
export const handleChange = opensForm(async (deps, { references, asker, triggerId, ack }, answer) => {
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  if (question !== undefined) {
    return answer(whichIncident('change', question));
  }
  const [incidentId] = ids;
  if (incidentId === undefined) {
    return answer(nothingOpen('change'));
  }
  await openSteerForm(deps, { incidentId, asker, triggerId }, answer, ack);
});

/** "Change" below the details of an incident. */
export function createSteerListener(deps: ListenerDeps) {
  return onFormClick(deps, (click, answer, onOpen) =>
    openSteerForm(deps, { incidentId: click.value, asker: click, triggerId: click.triggerId }, answer, onOpen),
  );
}

async function openSteerForm(
  deps: ListenerDeps,
  { incidentId, asker, triggerId }: { incidentId: IncidentId; asker: Asker; triggerId: string },
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  const known = await deps.store.incidents.find(incidentId);
  if (known === null) {
    return answer(await notFoundBut(deps, incidentId, 'change'));
  }
  const groups = await withTimeout(LOOK_UP_MS, () => deps.groups.list()).catch(() => []);
  const modal = steerModal({ ...known, groups, channelId: asker.channelId });
  await openForm(deps, { triggerId, modal }, answer, onOpen);
}
