import { withTimeout } from '../../runtime/timeout.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import { type Answer, type Asker, answeringResponders } from '../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../listeners/buttons.ts';
import { opensForm } from '../listeners/command-handler.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { notFoundBut } from '../listeners/failed-read.ts';
import { openForm } from '../listeners/open-form.ts';
import { findReferences } from '../listeners/references.ts';
import { missingReference } from '../views/answers.ts';
import { whichIncident } from '../views/which-incident.ts';
import { steerModal } from './steer-modal.ts';

/** The trigger of the form expires after three seconds. It opens without the groups if they come later. */
const LOOK_UP_MS = 1_200;

/** `/incidents change #142` */
export const handleChange = opensForm(async (deps, { word, references, asker, triggerId, ack }, answer) => {
  if (references.length === 0) {
    return answer(missingReference(word));
  }
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  if (question !== undefined) {
    return answer(whichIncident('change', question));
  }
  await openSteerForm(deps, { incidentId: ids[0] ?? '', asker, triggerId }, answer, ack);
});

/** "Change" below the details of an incident. */
export function createSteerListener(deps: ListenerDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const { value: incidentId, triggerId } = click;
    await answeringResponders(deps, click, args.respond, (answer) =>
      openSteerForm(deps, { incidentId, asker: click, triggerId }, answer, args.ack),
    );
    await args.ack();
  };
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
