import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { field, formFrame, incidentOptions, readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { readingModal } from '../../blocks/reading-modal.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import { MERGE_FIELDS, REGROUP_FORMS } from './ids.ts';

/** The modal's `private_metadata`. */
const Context = z.object({ incidentId: z.string().min(1), channelId: z.string().min(1).max(64).nullable() });
type Context = z.infer<typeof Context>;

interface MergeForm {
  readonly incident: Snapshot;
  /** Open incidents that it may be part of, the worst first. */
  readonly others: readonly Snapshot[];
  readonly channelId: ChannelId | null;
}

/** The form "Merge incident". It proposes the incident that this one continues, while that is open. */
export function mergeModal({ incident, others, channelId }: MergeForm): ModalView {
  const options = incidentOptions(others);
  if (options.length === 0) {
    return readingModal('Merge incident', `No other incident is open that ${plainHeadline(incident)} may be part of.`);
  }
  const proposed = options.find(({ value }) => value === incident.previous_incident_id);
  return {
    ...formFrame(REGROUP_FORMS.merge, { incidentId: incident.id, channelId } satisfies Context, {
      title: 'Merge incident',
      submit: 'Merge',
    }),
    blocks: [
      { type: 'section', text: mrkdwn(plainHeadline(incident)) },
      field(
        MERGE_FIELDS.into,
        'Is part of',
        {
          type: 'static_select',
          action_id: MERGE_FIELDS.into,
          options,
          ...(proposed !== undefined && { initial_option: proposed }),
        },
        { hint: 'Its signals go there, and it is closed. It can be split off again at any time.' },
      ),
    ],
  };
}

export function parseMergeContext(privateMetadata: string): Context | null {
  return readStored(Context, privateMetadata);
}

const Chosen = z.object({ selected_option: z.object({ value: z.string().min(1).max(LIMITS.optionValue) }) });
const State = z.object({ [MERGE_FIELDS.into]: z.object({ [MERGE_FIELDS.into]: Chosen }) });

/** @returns the chosen incident; null: the form is out of date */
export function parseMergeForm(stateValues: unknown): IncidentId | null {
  const state = State.safeParse(stateValues).data;
  return state?.[MERGE_FIELDS.into][MERGE_FIELDS.into].selected_option.value ?? null;
}
