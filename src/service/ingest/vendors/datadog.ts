import { z } from 'zod';
import type { Severity } from '../../../contract/resources.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { fingerprint, template } from '../../core/text.ts';
import { toSignal } from '../alert.ts';
import { NOTHING, Text, tagsOf, timeOf } from './vendor-values.ts';

/**
 * A webhook of Datadog. Its payload is what people paste: docs/senders.md has the one with all fields. The default payload
 * has only `id`, `title`, `body`, `date`, `event_type` (docs.datadoghq.com/integrations/webhooks).
 */
export const DatadogEvent = z.object({
  id: Text,
  title: z.string().trim().min(1),
  body: Text,
  date: Text,
  event_type: Text,
  /** `$ALERT_TRANSITION` */
  transition: Text,
  /** `$ALERT_TYPE` */
  alert_type: Text,
  /** `$ALERT_ID` and `$ALERT_CYCLE_KEY` */
  alert_id: Text,
  cycle_key: Text,
  /** `$AGGREG_KEY`: one for each monitor and group. */
  aggregation_key: Text,
  /** `$ALERT_PRIORITY`: P1 to P5. */
  priority: Text,
  tags: Text,
  hostname: Text,
  scope: Text,
  link: Text,
});
export type DatadogEvent = z.infer<typeof DatadogEvent>;

const BY_PRIORITY: Readonly<Record<string, Severity>> = {
  P1: 'critical',
  P2: 'error',
  P3: 'error',
  P4: 'warning',
  P5: 'info',
};

/** The default payload tells the transition only in the title: `[Triggered on {host:a}] Disk is full`. */
const TITLE = /^\s*\[(?:P\d\]\s*\[)?(re-)?(triggered|recovered|warn|no data)\b[^\]]*\]\s*/i;

export function readDatadogEvent(event: DatadogEvent, now: Date): SignalBatch {
  const inTitle = TITLE.exec(event.title)?.[2] ?? '';
  const transition = (event.transition || inTitle).toLowerCase().replace(/^re-/, '');
  const name = event.title.replace(TITLE, '') || event.title;
  const identity = event.aggregation_key || event.cycle_key || `${event.alert_id} ${event.scope} ${template(name)}`;
  const ofAlert = fingerprint('alert', 'datadog', identity);
  const at = timeOf(event.date, now);
  if (transition === 'recovered' || (transition === '' && event.alert_type === 'success')) {
    return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
  }
  if (event.alert_type === 'info' && transition === '') {
    return NOTHING;
  }
  const tags = tagsOf(event.tags.split(','));
  const scope = tagsOf(event.scope.split(','));
  const isWarning = transition.startsWith('warn') || event.alert_type === 'warning';
  const signal = toSignal({
    services: [tags.service, scope.service, tags.app, event.hostname, scope.host],
    summary: name,
    severity: isWarning ? 'warning' : (BY_PRIORITY[event.priority] ?? 'error'),
    observedAt: at,
    fingerprint: ofAlert,
    attributes: { ...tags, scope: event.scope, body: event.body, priority: event.priority, hostname: event.hostname },
    pages: [{ kind: 'generator', url: event.link }],
    reportsEnd: true,
    source: { format: 'datadog', alert_id: event.alert_id },
  });
  return { signals: [signal] };
}
