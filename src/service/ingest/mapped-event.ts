import type { SignalBatch } from '../core/signal.ts';
import { fingerprint, template } from '../core/text.ts';
import { scalarsIn, severityNamed, severityOfPriority, toSignal } from './alert.ts';
import type { Mapped } from './mapping.ts';

/** States that mean that it is over. Others, and none, mean that it fails. */
const OVER =
  /^(?:ok|okay|resolved?|closed?|normal|recover(?:ed|y)|up|healthy|green|inactive|success|clear(?:ed)?|false|0)$/i;

/** An event that a mapping has read. The same key, or else the same title, is the same failure. */
export function readMappedEvent(mapped: Mapped, body: unknown, sender: string, now: Date): SignalBatch {
  const { title, service, severity, key, state, link } = mapped;
  const summary = title ?? '';
  const ofEvent = fingerprint('json', sender, key ?? template(`${service ?? ''} ${summary}`));
  if (OVER.test(state ?? '')) {
    return { signals: [], ends: [{ fingerprint: ofEvent, endedAt: now }] };
  }
  const fields = scalarsIn(body);
  const signal = toSignal({
    services: [service],
    labels: fields,
    otherwise: { 'the title': summary },
    summary,
    severity: severityOfPriority(severity ?? undefined) ?? severityNamed(severity ?? undefined),
    observedAt: now,
    fingerprint: ofEvent,
    attributes: fields,
    pages: [{ kind: 'generator', url: link }],
    reportsEnd: state !== null,
    source: { format: 'json' },
  });
  return { signals: [signal] };
}
