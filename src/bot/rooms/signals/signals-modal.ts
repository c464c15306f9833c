import type { ActionsBlock, Button, KnownBlock, ModalView, PlainTextOption, StaticSelect } from '@slack/types';
import { z } from 'zod';
import type { Signal } from '../../../contract/resources.ts';
import { capitalized, plural } from '../../../incident/phrase.ts';
import { withFixedIds } from '../../blocks/fixed-ids.ts';
import { readStored } from '../../blocks/form.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { code, cut, dateToken, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { signalLine } from '../../incident/further-words.ts';
import { asOfWords } from '../lists/list-rows.ts';
import { SIGNAL_FILTER_BLOCK, SIGNALS_BUTTONS } from './ids.ts';
import { countSignals, PERIODS, SignalFilter, seenAt } from './signal-filter.ts';

export const SIGNALS_PAGE_SIZE = 10;

const NAMED_SERVICES = 5;
/** One of the options is "All services". */
const OFFERED_SERVICES = 99;
const ALL = 'all';

/** The modal's `private_metadata`. */
const SignalsContext = z.object({
  incidentId: z.string().min(1).max(255),
  filter: SignalFilter,
  offset: z.int().nonnegative(),
});
export type SignalsContext = z.infer<typeof SignalsContext>;

export interface SignalsPage {
  readonly context: SignalsContext;
  /** mrkdwn that names the incident. */
  readonly label: string;
  /** All signals that could be read. */
  readonly signals: readonly Signal[];
  /** Those that match the filter, most recently seen first. */
  readonly matching: readonly Signal[];
  /** How many signals the incident has, as the service counts them. */
  readonly signalCount: number;
  /** The service says how it found the root. */
  readonly hasCauses: boolean;
  /** When they were read. */
  readonly asOf: Date;
  /** Until when the modal follows its incident; null: only a choice changes it. */
  readonly refreshedUntil: Date | null;
}

/** The signals of an incident by kind, service and time, one page of them. */
export function signalsModal(page: SignalsPage): ModalView {
  const { context, matching } = page;
  const offset = Math.min(context.offset, lastOffset(matching.length));
  const shown = matching.slice(offset, offset + SIGNALS_PAGE_SIZE);
  return {
    ...frame({ ...context, offset }),
    blocks: withFixedIds([
      { type: 'section', text: mrkdwn(`${page.label}\n${countWords(page)}`) },
      filters(page),
      { type: 'section', text: mrkdwn(shownWords(page, offset, shown.length)) },
      ...shown.map(row),
      ...turns(offset, matching.length),
      ...(page.hasCauses ? [{ type: 'divider' as const }, causes()] : []),
    ]),
  };
}

/** Shown until the service has answered, or with the reason why it has not. */
export function signalsMessage(context: SignalsContext, text: string): ModalView {
  return { ...frame(context), blocks: [{ type: 'section', text: mrkdwn(text) }] };
}

function frame(context: SignalsContext): Omit<ModalView, 'blocks'> {
  return {
    type: 'modal',
    private_metadata: JSON.stringify(context),
    title: plainText('Signals', LIMITS.modalTitle),
    close: plainText('Close', LIMITS.modalButton),
  };
}

/** "14 signals: 9 traces, 3 metrics, 2 logs" and "`payments` 12, `web` 2" */
function countWords({ signals, signalCount, asOf, refreshedUntil }: SignalsPage): string {
  const { types, services } = countSignals(signals);
  const kinds = [...types].map(([type, count]) => plural(count, type)).join(', ');
  const named = [...services].slice(0, NAMED_SERVICES).map(([name, count]) => `${code(name, 80)} ${count}`);
  const rest = services.size - named.length;
  const total = plural(Math.max(signalCount, signals.length), 'signal');
  const missing = signalCount > signals.length && signals.length > 0 ? `, ${signals.length} of them can be read` : '';
  return [
    `${total}${missing}${kinds === '' ? '' : `: ${kinds}`}`,
    named.length === 0 ? '' : `Services: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    capitalized(asOfWords(asOf, refreshedUntil)),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function filters({ context: { filter }, signals }: SignalsPage): ActionsBlock {
  const { types, services } = countSignals(signals);
  const options = <Name extends string>(entries: Iterable<readonly [Name, string]>, all: string) => [
    option(ALL, all),
    ...[...entries].map(([value, label]) => option(value, label)),
  ];
  const names = [...services.keys()].slice(0, OFFERED_SERVICES);
  const chosen = filter.service;
  const offered = chosen === null || names.includes(chosen) ? names : [chosen, ...names.slice(0, -1)];
  return {
    type: 'actions',
    block_id: SIGNAL_FILTER_BLOCK,
    elements: [
      select(
        SIGNALS_BUTTONS.signalsType,
        'Kind of signal',
        options(
          [...types].map(([type, count]) => [type, plural(count, type)] as const),
          'All kinds',
        ),
        filter.type,
      ),
      select(
        SIGNALS_BUTTONS.signalsService,
        'Service',
        options(
          offered.map((name) => [name, name] as const),
          'All services',
        ),
        chosen,
      ),
      select(
        SIGNALS_BUTTONS.signalsPeriod,
        'Time',
        options(
          Object.entries(PERIODS).map(([name, { label }]) => [name, label] as const),
          'Any time',
        ),
        filter.period,
      ),
    ],
  };
}

function select(actionId: string, label: string, options: PlainTextOption[], chosen: string | null): StaticSelect {
  const initial = options.find(({ value }) => value === chosen) ?? options[0];
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: plainText(label, LIMITS.placeholder),
    options,
    ...(initial && { initial_option: initial }),
  };
}

function option(value: string, label: string): PlainTextOption {
  return { value, text: plainText(label, LIMITS.optionText) };
}

/** Describes the filter of the list in words, because a select may show a newer choice than the list. */
function shownWords({ context: { filter }, matching }: SignalsPage, offset: number, shown: number): string {
  const isAll = filter.type === null && filter.service === null && filter.period === null;
  const what = [
    filter.type === null ? 'All kinds' : plural(2, filter.type).slice(2),
    filter.service === null ? 'all services' : code(filter.service, 80),
    filter.period === null ? 'any time' : PERIODS[filter.period].label.toLowerCase(),
  ].join(', ');
  if (shown === 0) {
    return isAll ? '*No signals*' : `*No signals* · ${what}`;
  }
  const range = matching.length > shown ? `${offset + 1} to ${offset + shown} of ` : '';
  return `*${range}${plural(matching.length, 'signal')}*${isAll ? '' : ` · ${what}`}, most recent first`;
}

function row(signal: Signal): KnownBlock {
  const at = seenAt(signal);
  return {
    type: 'section',
    text: mrkdwn(`${signalLine(signal)}${at === null ? '' : `\nlast seen ${dateToken(at.toISOString())}`}`),
    accessory: {
      type: 'button',
      text: plainText('Open', LIMITS.buttonText),
      action_id: SIGNALS_BUTTONS.signalOpen,
      value: signal.id,
      accessibility_label: cut(`Open the ${signal.type} signal of ${signal.service}`, LIMITS.accessibilityLabel),
    },
  };
}

function turns(offset: number, total: number): ActionsBlock[] {
  const elements = [
    ...(offset > 0 ? [turn('Previous', SIGNALS_BUTTONS.signalsPrevious, Math.max(0, offset - SIGNALS_PAGE_SIZE))] : []),
    ...(offset + SIGNALS_PAGE_SIZE < total
      ? [turn('Next', SIGNALS_BUTTONS.signalsNext, offset + SIGNALS_PAGE_SIZE)]
      : []),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function turn(label: string, actionId: string, offset: number): Button {
  return { type: 'button', text: plainText(label, LIMITS.buttonText), action_id: actionId, value: String(offset) };
}

function causes(): ActionsBlock {
  const text = plainText('Possible root services', LIMITS.buttonText);
  return { type: 'actions', elements: [{ type: 'button', text, action_id: SIGNALS_BUTTONS.causesOpen }] };
}

function lastOffset(total: number): number {
  return Math.max(0, Math.floor((total - 1) / SIGNALS_PAGE_SIZE) * SIGNALS_PAGE_SIZE);
}

export function parseSignalsContext(privateMetadata: string): SignalsContext | null {
  return readStored(SignalsContext, privateMetadata);
}

const Chosen = z.object({ selected_option: z.object({ value: z.string() }).nullish() });
const Chosens = z.record(z.string(), Chosen.catch({}));

/** What the three selects show to the person; null: it cannot be read. */
export function parseSignalFilter(stateValues: unknown): SignalFilter | null {
  const block = Chosens.safeParse(Reflect.get(Object(stateValues), SIGNAL_FILTER_BLOCK)).data;
  const value = (actionId: string) => {
    const chosen = block?.[actionId]?.selected_option?.value ?? ALL;
    return chosen === ALL ? null : chosen;
  };
  const filter = {
    type: value(SIGNALS_BUTTONS.signalsType),
    service: value(SIGNALS_BUTTONS.signalsService),
    period: value(SIGNALS_BUTTONS.signalsPeriod),
  };
  return block === undefined ? null : (SignalFilter.safeParse(filter).data ?? null);
}
