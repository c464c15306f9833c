import type { AllSetByHand, SetByHand } from '../domain/action.ts';
import { STEER_FIELDS } from '../domain/ids.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { createFormSubmission } from '../listeners/form-submission.ts';
import { assignedName } from './assigned.ts';
import { parseSteerContext, parseSteerForm } from './steer-modal.ts';

/** Handles the submitted form "Change incident". Only the fields that the person changed are set. */
export function createSteerSubmission(deps: ListenerDeps) {
  const nameOf = (id: string | null) => (id === null ? null : assignedName(deps, id));
  return createFormSubmission(deps, {
    field: STEER_FIELDS.title,
    button: 'Save',

    read({ private_metadata: metadata, state }) {
      const [context, form] = [parseSteerContext(metadata), parseSteerForm(state.values)];
      return context && form && { context, form };
    },

    findFault: ({ form: { twice } }) =>
      twice === null ? null : { fault: 'Choose either a person or a group, not both.', field: twice },

    async request({ context, form }) {
      const { incidentId, channelId, before, leadId, communicationsId } = context;
      const set: SetByHand = {
        ...(form.title !== before.title && { title: form.title }),
        ...(form.severity !== before.severity && { severity: form.severity }),
        ...(form.root_service !== before.root_service && { root_service: form.root_service }),
        ...(form.lead !== leadId && { lead: await nameOf(form.lead) }),
        ...(form.communications !== communicationsId && { communications: await nameOf(form.communications) }),
      };
      return Object.keys(set).length === 0
        ? null
        : { kind: 'steer', incidentId, channelId, set, before: fieldsOf(before, set) };
    },
  });
}

/** Undo must leave alone what others have set since, so it gets only the fields that were changed. */
export function fieldsOf(before: AllSetByHand, set: SetByHand): SetByHand {
  return Object.fromEntries(Object.entries(before).filter(([field]) => field in set));
}
