import type { ListenerDeps } from '../../listeners/deps.ts';
import { createFormSubmission } from '../../listeners/form-submission.ts';
import { STEER_FIELDS } from './ids.ts';
import type { AllSetByHand, SetByHand } from './set-by-hand.ts';
import { parseSteerContext, parseSteerForm } from './steer-modal.ts';

/** Handles the submitted form "Change incident". Only the fields that the person changed are set. */
export function createSteerSubmission(deps: ListenerDeps) {
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
        ...(form.lead === null && leadId !== null && { lead: null }),
        ...(form.communications === null && communicationsId !== null && { communications: null }),
      };
      const people = {
        ...(form.lead !== null && form.lead !== leadId && { lead: form.lead }),
        ...(form.communications !== null &&
          form.communications !== communicationsId && { communications: form.communications }),
      };
      const fields = { ...set, ...people };
      return Object.keys(fields).length === 0
        ? null
        : { kind: 'steer', incidentId, channelId, set, people, before: fieldsOf(before, fields) };
    },
  });
}

/** Undo must leave alone what others have set since, so it gets only the fields that were changed. */
export function fieldsOf(before: AllSetByHand, set: SetByHand): SetByHand {
  return Object.fromEntries(Object.entries(before).filter(([field]) => field in set));
}
