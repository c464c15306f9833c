import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { plural } from '../../../incident/phrase.ts';
import { withFixedIds } from '../../blocks/fixed-ids.ts';
import { formFrame, readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { bold, code, cut, dateToken, mrkdwn, plainText, quote } from '../../blocks/mrkdwn.ts';
import { GOES_ON } from '../../incident/further-words.ts';
import type { PastFix } from '../../incident/incident.ts';
import { by } from '../../incident/incident-words.ts';
import { StillFiring } from '../../incident/still-firing.ts';
import { ACT_BUTTONS, ACT_FORMS, NO_PROBLEM_INPUT, RESOLVE_INPUT } from './ids.ts';

const PAST_NOTE_LENGTH = 400;

/** The list from which the form was opened, so that it can be replaced once the incident is closed. */
const ListOrigin = z.object({
  /** See `listName`. */
  name: z.string().max(300),
  /** The modal with the list; null: it is a message. */
  viewId: z.string().max(64).nullable(),
  /** The `response_url` that replaces the message; null: there is none. */
  responseUrl: z.string().max(500).nullable(),
  /** The channel of the message; null: there is none. */
  channelId: z.string().max(64).nullable().default(null),
  messageTs: z.string().max(64).nullable().default(null),
});
export type ListOrigin = z.infer<typeof ListOrigin>;

/** The modal's `private_metadata`; parsed when it comes back, like any other input. */
export const ResolveContext = z.object({
  incidentId: z.string().min(1).max(255),
  /** The channel where the modal was opened; responses go there. */
  channelId: z.string().min(1).max(64).nullable(),
  /** The person was already asked to confirm a one-word note. */
  isAsked: z.boolean().default(false),
  /** The state when the modal opened; null: nothing is known to be firing. */
  stillFiring: StillFiring.nullable().default(null),
  /** null: it was not opened from a list. */
  list: ListOrigin.nullable().default(null),
  /** What the service would learn if this was not a problem, a sentence each; empty: nothing, or it cannot learn. */
  teaches: z.array(z.string()).default([]),
});
export type ResolveContext = z.infer<typeof ResolveContext>;

export interface ResolveForm {
  readonly context: ResolveContext;
  /** mrkdwn that names the incident */
  readonly label: string;
  readonly rootService: string | null;
  /** The service reports that the incident still fails. */
  readonly isFailing: boolean;
  readonly pastFixes: readonly PastFix[];
  /** Content of the field. Slack keeps what was typed as long as the edition stays the same. */
  readonly draft: { readonly text: string; readonly edition: number };
}

export const EMPTY_DRAFT: ResolveForm['draft'] = { text: '', edition: 0 };

export function resolveModal(form: ResolveForm): ModalView {
  const { context, label } = form;
  const head: KnownBlock[] = [{ type: 'section', text: mrkdwn(bold(label)) }];
  const warning = [
    context.stillFiring === null ? '' : stillFiringWords(context.stillFiring),
    form.isFailing ? GOES_ON : '',
  ].filter((words) => words !== '');
  if (warning.length > 0) {
    head.push({ type: 'section', text: mrkdwn(`⚠️ *Still failing*: ${warning.join(' ')}`) });
  }
  const question: KnownBlock[] = context.isAsked
    ? [
        {
          type: 'context',
          elements: [mrkdwn('⚠️ A one-word note may not help the next person. Press Resolve again to keep it.')],
        },
      ]
    : [];
  return {
    ...formFrame(ACT_FORMS.resolve, context, { title: 'Resolve incident', submit: 'Resolve' }),
    blocks: withFixedIds([
      ...head,
      noteInput(form.draft),
      ...noProblemBlocks(context),
      ...question,
      ...pastFixBlocks(form),
    ]),
  };
}

function noteInput({ text, edition }: ResolveForm['draft']): InputBlock {
  return {
    type: 'input',
    block_id: edition === 0 ? RESOLVE_INPUT.blockId : `${RESOLVE_INPUT.blockId}:${edition}`,
    label: plainText('Resolution note', LIMITS.inputLabel),
    hint: plainText('What was wrong and what fixed it. Saved exactly as you type it.', LIMITS.inputHint),
    element: {
      type: 'plain_text_input',
      action_id: RESOLVE_INPUT.actionId,
      multiline: true,
      min_length: 1,
      max_length: LIMITS.plainTextInput,
      focus_on_load: true,
      ...(text === '' ? {} : { initial_value: text.slice(0, LIMITS.plainTextInput) }),
    },
  };
}

const MAX_TAUGHT = 3;
const TAUGHT_LENGTH = 120;

/** The sentences that the form shows; they are kept in its `private_metadata`, which has a limit. */
export function shortTaught(teaches: readonly string[] = []): string[] {
  return teaches.slice(0, MAX_TAUGHT).map((sentence) => cut(sentence, TAUGHT_LENGTH));
}

function noProblemBlocks({ teaches }: ResolveContext): KnownBlock[] {
  if (teaches.length === 0) {
    return [];
  }
  return [
    {
      type: 'input',
      block_id: NO_PROBLEM_INPUT.blockId,
      optional: true,
      label: plainText('Learn from it', LIMITS.inputLabel),
      hint: plainText(`Would count less: ${teaches.join('; ')}`, LIMITS.inputHint),
      element: {
        type: 'checkboxes',
        action_id: NO_PROBLEM_INPUT.actionId,
        options: [
          {
            text: plainText('This was not a problem', LIMITS.optionText),
            description: plainText('Opens again only for clearly more. An outage always does.', LIMITS.optionText),
            value: NO_PROBLEM_INPUT.value,
          },
        ],
      },
    },
  ];
}

/** "2 signals from `payments`, last seen 10:02." */
export function stillFiringWords({ signals, services, moreServices, lastSeenAt }: StillFiring): string {
  const more = moreServices > 0 ? ` and ${moreServices.toLocaleString('en')} more` : '';
  const where = `${services.map((name) => code(name, 80)).join(', ')}${more}`;
  return `${plural(signals, 'signal')} from ${where}, last seen ${dateToken(lastSeenAt)}.`;
}

function pastFixBlocks({ pastFixes, rootService }: ResolveForm): KnownBlock[] {
  if (pastFixes.length === 0) {
    return [];
  }
  const heading = `*How ${rootService === null ? 'it' : code(rootService, 80)} was fixed before*`;
  return [
    { type: 'section', text: mrkdwn(heading) },
    ...pastFixes.map((fix): KnownBlock => {
      const who = `Closed${by(fix.by)}, ${dateToken(fix.closedAt.toISOString())}`;
      return {
        type: 'section',
        text: mrkdwn(`${quote(fix.note, PAST_NOTE_LENGTH)}\n${who}`),
        accessory: {
          type: 'button',
          text: plainText('Use this note', LIMITS.buttonText),
          action_id: ACT_BUTTONS.useNote,
          value: fix.incidentId,
          accessibility_label: cut(`Use this note: ${fix.note.trim()}`, LIMITS.accessibilityLabel),
        },
      };
    }),
  ];
}

/** Whether the note is a single word, in any script. */
export function isOneWord(note: string): boolean {
  const words = new Intl.Segmenter('en', { granularity: 'word' }).segment(note);
  return [...words].filter(({ isWordLike }) => isWordLike).length < 2;
}

export function parseResolveContext(privateMetadata: string): ResolveContext | null {
  return readStored(ResolveContext, privateMetadata);
}

const Input = z.object({
  value: z.string().nullish().catch(null),
  selected_options: z
    .array(z.object({ value: z.string() }))
    .optional()
    .catch([]),
});
const State = z.record(z.string(), z.record(z.string(), Input));

/** The note field of a submitted or updated form. */
export interface NoteField {
  readonly blockId: string;
  readonly edition: number;
  /** Exactly as typed; empty when nothing is. */
  readonly text: string;
  /** "This was not a problem" is ticked. */
  readonly isNoProblem: boolean;
}

export function parseNoteField(stateValues: unknown): NoteField | null {
  const blocks = Object.entries(State.safeParse(stateValues).data ?? {});
  const [blockId, values] = blocks.find(([, fields]) => RESOLVE_INPUT.actionId in fields) ?? [];
  if (blockId === undefined) {
    return null;
  }
  return {
    blockId,
    edition: Number(blockId.split(':')[1] ?? 0),
    text: values?.[RESOLVE_INPUT.actionId]?.value ?? '',
    isNoProblem: blocks.some(([, fields]) => (fields[NO_PROBLEM_INPUT.actionId]?.selected_options ?? []).length > 0),
  };
}
