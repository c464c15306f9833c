import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { Severity } from '../../../contract/resources.ts';
import { field, formFrame, option, readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { cut, plainText } from '../../blocks/mrkdwn.ts';
import { DECLARE_FIELDS, DECLARE_FORMS, DECLARE_OPTIONS } from './ids.ts';
import { declareServiceOption } from './service-options.ts';

const DEFAULT_SEVERITY: Severity = 'error';

/** The modal's `private_metadata`. */
const Context = z.object({ channelId: z.string().min(1).max(64).nullable() });
type Context = z.infer<typeof Context>;

export interface Draft {
  /** Empty: nothing is known yet. */
  readonly title: string;
  readonly service: string;
  readonly note: string;
}

export const EMPTY_DRAFT: Draft = { title: '', service: '', note: '' };

/** The form "Declare an incident". */
export function declareModal(context: Context, draft: Draft): ModalView {
  const severities = Severity.options.map((severity) => option(severity, severity));
  const service = draft.service === '' ? undefined : declareServiceOption(draft.service);
  return {
    ...formFrame(DECLARE_FORMS.declare, context, { title: 'Declare an incident', submit: 'Declare' }),
    blocks: [
      field(DECLARE_FIELDS.title, 'What fails, for whom?', {
        type: 'plain_text_input',
        action_id: DECLARE_FIELDS.title,
        min_length: 1,
        max_length: REQUEST_LIMITS.title,
        ...(draft.title !== '' && { initial_value: cut(draft.title, REQUEST_LIMITS.title) }),
      }),
      field(
        DECLARE_FIELDS.service,
        'Service',
        {
          type: 'external_select',
          action_id: DECLARE_OPTIONS.serviceName,
          min_query_length: 0,
          placeholder: plainText('Type a name', LIMITS.placeholder),
          ...(service !== undefined && { initial_option: service }),
        },
        { hint: 'If it has an open incident, yours becomes part of that one. What fails there later joins it.' },
      ),
      field(DECLARE_FIELDS.severity, 'Severity', {
        type: 'static_select',
        action_id: DECLARE_FIELDS.severity,
        options: severities,
        initial_option: option(DEFAULT_SEVERITY, DEFAULT_SEVERITY),
      }),
      field(
        DECLARE_FIELDS.note,
        'What is known',
        {
          type: 'plain_text_input',
          action_id: DECLARE_FIELDS.note,
          multiline: true,
          max_length: Math.min(REQUEST_LIMITS.note, LIMITS.plainTextInput),
          ...(draft.note !== '' && { initial_value: cut(draft.note, REQUEST_LIMITS.note) }),
        },
        { isOptional: true },
      ),
    ],
  };
}

export function parseDeclareContext(privateMetadata: string): Context | null {
  return readStored(Context, privateMetadata);
}

const Text = z.object({ value: z.string().nullish() });
const Option = z.object({ selected_option: z.object({ value: z.string().min(1) }).nullish() });
const State = z.object({
  [DECLARE_FIELDS.title]: z.object({ [DECLARE_FIELDS.title]: Text }),
  [DECLARE_FIELDS.service]: z.object({ [DECLARE_OPTIONS.serviceName]: Option }),
  [DECLARE_FIELDS.severity]: z.object({ [DECLARE_FIELDS.severity]: Option }),
  [DECLARE_FIELDS.note]: z.object({ [DECLARE_FIELDS.note]: Text }),
});

export interface Declaration {
  readonly title: string;
  readonly service: string;
  readonly severity: Severity;
  readonly note: string | null;
}

/** @returns null: the form is out of date */
export function parseDeclareForm(stateValues: unknown): Declaration | null {
  const state = State.safeParse(stateValues).data;
  if (state === undefined) {
    return null;
  }
  const note = state[DECLARE_FIELDS.note][DECLARE_FIELDS.note].value ?? '';
  return {
    title: (state[DECLARE_FIELDS.title][DECLARE_FIELDS.title].value ?? '').trim(),
    service: state[DECLARE_FIELDS.service][DECLARE_OPTIONS.serviceName].selected_option?.value.trim() ?? '',
    severity:
      Severity.safeParse(state[DECLARE_FIELDS.severity][DECLARE_FIELDS.severity].selected_option?.value).data ??
      DEFAULT_SEVERITY,
    note: note.trim() === '' ? null : note,
  };
}
