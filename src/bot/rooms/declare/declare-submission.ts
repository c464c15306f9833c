import type { ListenerDeps } from '../../listeners/deps.ts';
import { createFormSubmission } from '../../listeners/form-submission.ts';
import { parseDeclareContext, parseDeclareForm } from './declare-modal.ts';
import { DECLARE_FIELDS } from './ids.ts';

/** Handles the submitted form "Declare an incident". */
export function createDeclareSubmission(deps: ListenerDeps) {
  return createFormSubmission(deps, {
    field: DECLARE_FIELDS.title,
    button: 'Declare',

    read({ private_metadata: metadata, state }) {
      const [context, form] = [parseDeclareContext(metadata), parseDeclareForm(state.values)];
      return context && form && { ...context, ...form };
    },

    findFault({ title, service }) {
      if (title === '') {
        return { fault: 'Please say what fails.' };
      }
      return service === ''
        ? { fault: 'Please choose the service, or type its name.', field: DECLARE_FIELDS.service }
        : null;
    },

    request: async (declaration) => ({ ...declaration, kind: 'declare', incidentId: null }),
  });
}
