import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { RESOLVE_INPUT, VIEWS } from '../ids.ts';
import { LIMITS } from './limits.ts';
import { mrkdwn, plainText } from './mrkdwn.ts';

/** What the modal brings back: parsed like any input, since it comes from outside. */
export const ResolveContext = z.object({
  incidentId: z.string().min(1).max(255),
  /** Where the person was; answers go there. */
  channelId: z.string().min(1).max(64).nullable(),
});
export type ResolveContext = z.infer<typeof ResolveContext>;

/** @param label mrkdwn that names the incident */
export function resolveModal(context: ResolveContext, label: string): ModalView {
  return {
    type: 'modal',
    callback_id: VIEWS.resolve,
    private_metadata: JSON.stringify(context),
    title: plainText('Resolve incident', LIMITS.modalTitle),
    submit: plainText('Resolve', LIMITS.modalButton),
    close: plainText('Cancel', LIMITS.modalButton),
    blocks: [
      { type: 'section', text: mrkdwn(`*${label}*`) },
      {
        type: 'input',
        block_id: RESOLVE_INPUT.blockId,
        label: plainText('Resolution note', LIMITS.inputLabel),
        hint: plainText('What was wrong and what fixed it. Kept exactly as you type it.', LIMITS.inputHint),
        element: {
          type: 'plain_text_input',
          action_id: RESOLVE_INPUT.actionId,
          multiline: true,
          min_length: 1,
          max_length: LIMITS.plainTextInput,
          focus_on_load: true,
        },
      },
    ],
  };
}

export function parseResolveContext(privateMetadata: string): ResolveContext | null {
  try {
    return ResolveContext.parse(JSON.parse(privateMetadata));
  } catch {
    return null;
  }
}

const ResolveState = z.object({
  [RESOLVE_INPUT.blockId]: z.object({ [RESOLVE_INPUT.actionId]: z.object({ value: z.string().nullish() }) }),
});

/** The note as typed; null when the field is empty or missing. */
export function parseResolutionNote(stateValues: unknown): string | null {
  const parsed = ResolveState.safeParse(stateValues);
  return (parsed.success ? parsed.data[RESOLVE_INPUT.blockId]?.[RESOLVE_INPUT.actionId]?.value : null) ?? null;
}
