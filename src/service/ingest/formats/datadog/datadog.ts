import { z } from 'zod';
import type { Severity } from '../../../../contract/resources.ts';
import type { SignalBatch } from '../../../core/signal.ts';
import { fingerprint, template } from '../../../core/text.ts';
import { toSignal } from '../../alert.ts';
import { NOTHING, Text, tagsOf, timeOf } from '../../vendor-values.ts';

/** Other names of fields: those of Datadog's variables, which payloads made for other products have. */
const ALIASES: Readonly<Record<string, string>> = {
  event_title: 'title',
  alert_title: 'title',
  event_msg: 'body',
  text_only_msg: 'body',
  date_posix: 'date',
  alert_transition: 'transition',
  alert_cycle_key: 'cycle_key',
  aggreg_key: 'aggregation_key',
  alert_priority: 'priority',
  alert_scope: 'scope',
  url: 'link',
};

/** A field's own name wins over its other names. */
function withOwnNames(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return sent;
  }
  const entries = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value] as const);
  const renamed = entries.flatMap(([name, value]) => {
    const own = ALIASES[name];
    return own === undefined || value === '' ? [] : [[own, value] as const];
  });
  return { ...Object.fromEntries(renamed), ...Object.fromEntries(entries) };
}

/**
 * A webhook of Datadog. Its payload is what people paste: docs/senders.md has the one with all fields. The default payload
 * has only `id`, `title`, `body`, `date`, `event_type` (docs.datadoghq.com/integrations/webhooks).
 */
const Event = z.object({
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

export const DatadogEvent = z.preprocess(withOwnNames, Event);
export type DatadogEvent = z.infer<typeof DatadogEvent>;

const BY_PRIORITY: Readonly<Record<string, Severity>> = {
  P1: 'critical',
  P2: 'error',
  P3: 'error',
  P4: 'warning',
  P5: 'info',
};

/** The default payload has priority, transition and group in the title: `[P2] [Triggered on {host:a}] Disk is full`. */
const TITLE =
  /^\s*(?:\[(P\d)\]\s*)?\[(?:re-)?(triggered|recovered|warn|no data|renotify)\b(?:[^\]{]*\{([^}]*)\})?[^\]]*\]\s*/i;

/** The first page in the text of the default payload: `[[Monitor Status](https://…)]`. */
const PAGE = /\]\((https:\/\/[^\s)]+)\)/;

export function readDatadogEvent(event: DatadogEvent, now: Date): SignalBatch {
  const [, priority = '', inTitle = '', group = ''] = TITLE.exec(event.title) ?? [];
  const transition = (event.transition || inTitle).toLowerCase().replace(/^re-/, '');
  const name = event.title.replace(TITLE, '') || event.title;
  const about = `${event.alert_id} ${event.scope || group} ${event.hostname} ${template(name)}`;
  const ofAlert = fingerprint('alert', 'datadog', event.aggregation_key || event.cycle_key || about);
  if (transition === 'recovered' || (transition === '' && event.alert_type === 'success')) {
    return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
  }
  if (event.alert_type === 'info' && transition === '') {
    return NOTHING;
  }
  const tags = tagsOf(event.tags.split(','));
  const scope = tagsOf((event.scope || group).split(','));
  const isWarning = transition.startsWith('warn') || event.alert_type === 'warning';
  const signal = toSignal({
    services: [tags.service, scope.service, tags.app, event.hostname, scope.host],
    otherwise: { "the monitor's name": name },
    summary: name,
    severity: isWarning ? 'warning' : (BY_PRIORITY[event.priority || priority.toUpperCase()] ?? 'error'),
    observedAt: timeOf(event.date, now),
    seenAt: now,
    fingerprint: ofAlert,
    attributes: {
      ...tags,
      ...scope,
      scope: event.scope || group,
      body: event.body,
      priority: event.priority || priority,
      hostname: event.hostname,
    },
    pages: [{ kind: 'generator', url: event.link || PAGE.exec(event.body)?.[1] }],
    reportsEnd: true,
    source: { format: 'datadog', alert_id: event.alert_id },
  });
  return { signals: [signal] };
}
