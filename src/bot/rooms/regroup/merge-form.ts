import { reference } from '../../incident/incident-words.ts';
import type { Answer, Asker } from '../../listeners/answering.ts';
import { onFormClick } from '../../listeners/buttons.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut, openIncidents } from '../../listeners/failed-read.ts';
import { createFormSubmission } from '../../listeners/form-submission.ts';
import { openForm } from '../../listeners/open-form.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import { MERGE_FIELDS } from './ids.ts';
import { mergeModal, parseMergeContext, parseMergeForm } from './merge-modal.ts';

/** "Merge" in the menu of an incident, and beside one that a command could mean. */
export function createMergeListener(deps: ListenerDeps) {
  return onFormClick(deps, (click, answer, onOpen) =>
    openMergeForm(deps, { incidentId: click.value, asker: click, triggerId: click.triggerId }, answer, onOpen),
  );
}

export async function openMergeForm(
  deps: ListenerDeps,
  { incidentId, asker, triggerId }: { incidentId: IncidentId; asker: Asker; triggerId: string },
  answer: Answer,
  onOpen: () => Promise<void>,
): Promise<void> {
  const known = await deps.store.incidents.find(incidentId);
  if (known === null) {
    return answer(await notFoundBut(deps, incidentId, 'merge'));
  }
  const others = (await openIncidents(deps)).filter(({ id }) => id !== incidentId);
  const modal = mergeModal({ incident: known.incident, others, channelId: asker.channelId });
  await openForm(deps, { triggerId, modal }, answer, onOpen);
}

/** Handles the submitted form "Merge incident". */
export function createMergeSubmission(deps: ListenerDeps) {
  return createFormSubmission(deps, {
    field: MERGE_FIELDS.into,
    button: 'Merge',

    read({ private_metadata: metadata, state }) {
      const [context, into] = [parseMergeContext(metadata), parseMergeForm(state.values)];
      return context && into && { ...context, into };
    },

    findFault: () => null,

    async request({ channelId, incidentId, into }) {
      const known = await deps.store.incidents.find(into);
      return {
        kind: 'merge',
        channelId,
        incidentId,
        into,
        reference: reference(known?.incident ?? { id: into }),
      };
    },
  });
}
