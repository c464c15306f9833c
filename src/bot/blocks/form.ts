import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { z } from 'zod';
import type { IncidentSummary } from '../../contract/resources.ts';
import { LIMITS } from './limits.ts';
import { plainText } from './mrkdwn.ts';

/** The modal of a form, without its blocks. @param context kept in its `private_metadata` */
export function formFrame(
  callbackId: string,
  context: object,
  { title, submit }: { readonly title: string; readonly submit: string },
): Omit<ModalView, 'blocks'> {
  return {
    type: 'modal',
    callback_id: callbackId,
    private_metadata: JSON.stringify(context),
    title: plainText(title, LIMITS.modalTitle),
    submit: plainText(submit, LIMITS.modalButton),
    close: plainText('Cancel', LIMITS.modalButton),
  };
}

/** A field of a form. @param id its `block_id` */
export function field(
  id: string,
  label: string,
  element: InputBlock['element'],
  { hint = '', isOptional = false }: { readonly hint?: string; readonly isOptional?: boolean } = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    ...(isOptional && { optional: true }),
    label: plainText(label, LIMITS.inputLabel),
    ...(hint !== '' && { hint: plainText(hint, LIMITS.inputHint) }),
    element,
  };
}

/** The options of a choice between incidents. An id that does not fit into an option is left out. */
export function incidentOptions(incidents: readonly IncidentSummary[]): PlainTextOption[] {
  return incidents
    .filter(({ id }) => id.length <= LIMITS.optionValue)
    .slice(0, LIMITS.selectOptions)
    .map((incident) => {
      const { id, number, title, root_service: root } = incident;
      return option(`${number === undefined ? id : `#${number}`} ${title ?? root}`, id);
    });
}

export function option(text: string, value: string): PlainTextOption {
  return { text: plainText(text, LIMITS.optionText), value };
}

/** Reads a `private_metadata` or the value of a button; null: another version of the bot wrote it. */
export function readStored<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
