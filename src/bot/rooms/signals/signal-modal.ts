import type { KnownBlock, ModalView } from '@slack/types';
import type { Signal } from '../../../contract/resources.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { bold, code, dateToken, inline, link, mrkdwn, quote } from '../../blocks/mrkdwn.ts';
import { readingModal } from '../../blocks/reading-modal.ts';
import { traceAddress } from '../../incident/links.ts';

const NAME_LENGTH = 200;
const VALUE_LENGTH = 400;
const BODY_LENGTH = 2_500;
const SHOWN_FIELDS = 40;

/** One signal in full. @param traceUrl address of a trace with `{trace_id}` in it; null: none is known */
export function signalModal(signal: Signal, traceUrl: string | null): ModalView {
  const facts = [
    `Service ${code(signal.service, NAME_LENGTH)}`,
    signal.severity === undefined ? '' : `severity ${signal.severity}`,
    signal.status === undefined ? '' : `status ${inline(signal.status, NAME_LENGTH)}`,
    valueWords(signal),
    signal.duration_ms === undefined ? '' : `took ${signal.duration_ms.toLocaleString('en')} ms`,
  ];
  const times = [
    timeWords('First seen', signal.first_seen_at),
    timeWords('Last seen', signal.last_seen_at),
    signal.first_seen_at === undefined && signal.last_seen_at === undefined
      ? timeWords('Observed', signal.observed_at ?? signal.received_at)
      : '',
    timeWords('Ended', signal.ended_at),
    (signal.occurrences ?? 1) > 1 ? `Seen ${(signal.occurrences ?? 1).toLocaleString('en')} times` : '',
  ];
  const ids = [
    signal.trace_id === undefined ? '' : `Trace ${traceWords(signal.trace_id, traceUrl)}`,
    signal.span_id === undefined ? '' : `Span ${code(signal.span_id, NAME_LENGTH)}`,
    `Signal ${code(signal.id, NAME_LENGTH)}`,
  ];
  const what = signal.summary ?? (signal.body === undefined ? `${signal.type} signal` : '');
  const blocks = [
    ...section([bold(inline(what, VALUE_LENGTH) || signal.type), join(facts, ' · '), join(times, '\n')]),
    ...section([signal.body === undefined ? '' : quote(signal.body, BODY_LENGTH)]),
    ...section([join(ids, '\n')]),
    ...fields('Attributes', signal.attributes),
    ...fields('Source', signal.source),
  ];
  return readingModal('Signal', blocks, 'Back');
}

/** Shown until the service has answered, or with the reason why it has not. */
export function signalMessage(text: string): ModalView {
  return readingModal('Signal', text, 'Back');
}

function section(lines: readonly string[]): KnownBlock[] {
  const text = join(lines, '\n');
  return text === '' ? [] : [{ type: 'section', text: mrkdwn(text) }];
}

function join(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}

/** "measured 97.5 %, threshold 90 %" */
function valueWords({ value, threshold, unit }: Signal): string {
  const suffix = unit === undefined ? '' : ` ${inline(unit, 40)}`;
  const measured = value === undefined ? '' : `measured ${value.toLocaleString('en')}${suffix}`;
  const limit = threshold === undefined ? '' : `threshold ${threshold.toLocaleString('en')}${suffix}`;
  return join([measured, limit], ', ');
}

function timeWords(label: string, at: string | null | undefined): string {
  return at === null || at === undefined ? '' : `${label} ${dateToken(at)}`;
}

function traceWords(traceId: string, traceUrl: string | null): string {
  const address = traceAddress(traceId, traceUrl);
  return address === null ? code(traceId, NAME_LENGTH) : link(address, inline(traceId, NAME_LENGTH));
}

function fields(heading: string, values: Readonly<Record<string, unknown>> = {}): KnownBlock[] {
  const all = Object.entries(values).sort(([one], [other]) => one.localeCompare(other));
  const lines = all.slice(0, SHOWN_FIELDS).map(([name, value]) => `${code(name, NAME_LENGTH)} ${valueText(value)}`);
  const shown = fitting(lines, LIMITS.sectionText - heading.length - 40);
  const rest = all.length - shown.length;
  return shown.length === 0
    ? []
    : section([`*${heading}*`, ...shown, rest > 0 ? `and ${rest.toLocaleString('en')} more` : '']);
}

function valueText(value: unknown): string {
  return inline(typeof value === 'string' ? value : JSON.stringify(value), VALUE_LENGTH);
}
