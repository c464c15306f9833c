import { z } from 'zod';
import type { SignalBatch } from '../../core/signal.ts';
import { fingerprint } from '../../core/text.ts';
import { toSignal } from '../alert.ts';
import { NOTHING, Text, timeOf } from './vendor-values.ts';

/**
 * A webhook of Uptime Kuma, content type JSON (louislam/uptime-kuma, `server/notification-providers/webhook.js`, and
 * `server/model/monitor.js` for certificates, read on 2026-11-26). Tests and certificates have only `msg`.
 */
export const UptimeKumaEvent = z.object({
  msg: Text,
  heartbeat: z
    .object({
      /** 0 down, 1 up, 2 pending, 3 maintenance. */
      status: Text,
      /** UTC without a zone. */
      time: Text,
      msg: Text,
    })
    .nullish(),
  monitor: z
    .object({
      id: Text,
      name: Text,
      url: Text,
      hostname: Text,
      type: Text,
      tags: z.array(z.object({ name: Text, value: Text })).catch([]),
    })
    .nullish(),
});
export type UptimeKumaEvent = z.infer<typeof UptimeKumaEvent>;

/** Pages named in monitors that watch no page. */
const NO_PAGE = 'https://';

export function readUptimeKumaEvent({ heartbeat, monitor, msg }: UptimeKumaEvent, now: Date): SignalBatch {
  if (!heartbeat || !monitor) {
    return readCertificate(msg, now);
  }
  const ofMonitor = fingerprint('alert', 'uptime kuma', monitor.id || monitor.name);
  const at = timeOf(heartbeat.time === '' ? '' : `${heartbeat.time.replace(' ', 'T')}Z`, now);
  if (heartbeat.status !== '0') {
    return heartbeat.status === '1' ? { signals: [], ends: [{ fingerprint: ofMonitor, endedAt: at }] } : NOTHING;
  }
  const tags = Object.fromEntries(monitor.tags.map(({ name, value }) => [name, value]));
  const signal = toSignal({
    services: [tags.service, monitor.name],
    summary: `${monitor.name} is down: ${heartbeat.msg}`,
    severity: 'error',
    observedAt: at,
    fingerprint: ofMonitor,
    attributes: { ...tags, monitor: monitor.name, type: monitor.type, hostname: monitor.hostname },
    pages: monitor.url === NO_PAGE ? [] : [{ kind: 'generator', url: monitor.url }],
    reportsEnd: true,
    source: { format: 'uptime_kuma', monitor: monitor.id },
  });
  return { signals: [signal] };
}

/** `[shop][https://shop.example] server certificate shop.example will expire in 7 days` */
const CERTIFICATE = /^\[(.+?)\]\[(.*?)\] (.*\bcertificate\b.* will (?:be expired|expire) in -?\d+ days)$/;

/** A certificate that expires soon is a warning. Nothing reports that it was renewed. */
function readCertificate(msg: string, now: Date): SignalBatch {
  const [, monitor, url, summary] = CERTIFICATE.exec(msg) ?? [];
  if (monitor === undefined || summary === undefined) {
    return NOTHING;
  }
  const signal = toSignal({
    services: [monitor],
    summary,
    severity: 'warning',
    observedAt: now,
    fingerprint: fingerprint('alert', 'uptime kuma certificate', monitor),
    attributes: { monitor },
    pages: [{ kind: 'generator', url }],
    reportsEnd: false,
    source: { format: 'uptime_kuma' },
  });
  return { signals: [signal] };
}
