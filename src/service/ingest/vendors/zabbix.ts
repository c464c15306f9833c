import { z } from 'zod';
import type { Severity } from '../../../contract/resources.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { fingerprint } from '../../core/text.ts';
import { toSignal } from '../alert.ts';
import { NOTHING, Text, timeOf } from './vendor-values.ts';

/**
 * The value of a macro. Zabbix leaves a macro as it is where it is not supported, such as `{TRIGGER.ID}` for the event of a
 * service, and writes `*UNKNOWN*` for a value that it cannot find.
 */
const Macro = Text.transform((text) => (text === '*UNKNOWN*' || /^\{[A-Z0-9_.]+\}$/.test(text) ? '' : text));

/**
 * What the script of docs/senders.md sends from a media type of Zabbix: macros of events (zabbix.com/documentation 6.0 and
 * 7.0, "Supported macros", and zabbix/zabbix, `templates/media`, read on 2026-11-25).
 */
export const ZabbixEvent = z.object({
  /** `{EVENT.ID}`: of the problem, also when it recovers. */
  event_id: Text.pipe(z.string().min(1)),
  /** `{EVENT.VALUE}`: 1 while it is a problem. */
  event_value: Macro,
  /** `{EVENT.UPDATE.STATUS}`: 1 for a comment or an acknowledgement. */
  event_update_status: Macro,
  event_name: z.string().trim().min(1),
  /** `{EVENT.NSEVERITY}`: 0 to 5. */
  event_nseverity: Macro,
  /** `{EVENT.TIMESTAMP}`, seconds since 1970. */
  event_timestamp: Macro,
  /** `{EVENT.TAGSJSON}` */
  event_tags: Macro,
  host_name: Macro,
  /** `{TRIGGER.ID}`: its problems are one alert. */
  trigger_id: Macro,
  trigger_url: Macro,
  /** `{SERVICE.NAME}`: of an event of a business service, which has no trigger and no host. */
  service_name: Macro,
  event_opdata: Macro,
});
export type ZabbixEvent = z.infer<typeof ZabbixEvent>;

const SEVERITIES: Readonly<Record<string, Severity>> = {
  '0': 'warning', // not classified
  '1': 'info',
  '2': 'warning',
  '3': 'error',
  '4': 'error',
  '5': 'critical',
};

const Tags = z.array(z.object({ tag: Text, value: Text }));

export function readZabbixEvent(event: ZabbixEvent, now: Date): SignalBatch {
  const ofAlert = fingerprint('alert', 'zabbix', event.trigger_id || event.event_id, event.host_name);
  if (event.event_value === '0') {
    return { signals: [], ends: [{ fingerprint: ofAlert, endedAt: now }] };
  }
  if (event.event_update_status === '1') {
    return NOTHING;
  }
  const tags = tagsIn(event.event_tags);
  const signal = toSignal({
    services: [tags.service, tags.application, tags.component, event.host_name, event.service_name],
    summary: event.event_name,
    severity: SEVERITIES[event.event_nseverity] ?? 'error',
    observedAt: timeOf(event.event_timestamp, now),
    seenAt: now,
    fingerprint: ofAlert,
    attributes: { ...tags, host: event.host_name, data: event.event_opdata },
    pages: [{ kind: 'generator', url: event.trigger_url }],
    reportsEnd: true,
    source: { format: 'zabbix', trigger: event.trigger_id },
  });
  return { signals: [signal] };
}

function tagsIn(json: string): Record<string, string> {
  try {
    const { data = [] } = Tags.safeParse(JSON.parse(json));
    return Object.fromEntries(data.map(({ tag, value }) => [tag, value]));
  } catch {
    return {};
  }
}
