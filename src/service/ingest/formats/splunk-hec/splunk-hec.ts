import type { Snippet } from '../../../core/snippet.ts';
import type { Attributes, LogRecord } from '../../../core/telemetry.ts';
import { createCollector, type Decoding } from '../../decoded.ts';
import { decodeJsonLines, isMap } from '../../push/json-lines.ts';
import { type Answers, given, nanosOf, type PushFormat, toPushedRecord } from '../../push/push-format.ts';

/** Splunk's HTTP Event Collector (docs.splunk.com, "Format events for HTTP Event Collector"): events, or raw lines. */
export const SPLUNK_HEC: PushFormat = {
  words: "Splunk's HTTP Event Collector (Docker, Fluent Bit, Vector)",
  addresses: ['', '/event', '/event/1.0', '/raw', '/raw/1.0'],
  decoderFor: ({ path }) => ({
    kind: 'logs',
    decode: /\/raw(?:\/1\.0)?\/?$/.test(path) ? decodeRaw : (body) => decodeJsonLines(body, toEvent),
    answer: success,
  }),
  greetings: [
    { address: '/health', answer: () => Response.json({ text: 'HEC is healthy', code: 17 }) },
    { address: '/health/1.0', answer: () => Response.json({ text: 'HEC is healthy', code: 17 }) },
  ],
  setUp: ({ url, key }) => [
    ...(url.startsWith(`${new URL(url).origin}/services/`) ? ofHost(url, key) : [behindPath(url)]),
    {
      title: 'Try it',
      text: `curl -X POST ${url} -H 'Authorization: Splunk ${key}' \\\n  -d '{"event": {"level": "error", "service": "my-service", "message": "a test of Tocsin"}}'\n`,
    },
  ],
};

const success: Answers = () => Response.json({ text: 'Success', code: 0 });

/** Both append the path themselves, and refuse or ignore one before it. */
function ofHost(url: string, key: string): Snippet[] {
  const { origin, hostname } = new URL(url);
  return [
    {
      title: 'Docker: /etc/docker/daemon.json',
      text: `{ "log-driver": "splunk", "log-opts": { "splunk-url": "${origin}", "splunk-token": "${key}" } }\n`,
    },
    {
      title: 'Fluent Bit',
      text: `[OUTPUT]\n    name         splunk\n    match        *\n    host         ${hostname}\n    port         ${portOf(url)}\n    splunk_token ${key}\n`,
    },
  ];
}

function behindPath(url: string): Snippet {
  return {
    title: 'Docker and Fluent Bit take no path: let your proxy pass the first address on to the second',
    text: `${new URL(url).origin}/services/collector\n${url}\n`,
  };
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Metrics in this format have `"event": "metric"`, and values as fields. */
function toEvent(value: unknown): LogRecord | null {
  if (!isMap(value) || value.event === undefined || value.event === 'metric') {
    return null;
  }
  const { event, time, host, source, sourcetype, fields } = value;
  const attributes = { ...(isMap(fields) ? fields : {}), ...given({ 'host.name': host, source, sourcetype }) };
  return toPushedRecord({ timeNanos: nanosOf(time), body: dockerLine(event), attributes });
}

/** Docker puts the line, its stream and its tag into the event. */
function dockerLine(event: Attributes[string]): Attributes[string] {
  return isMap(event) && event.line !== undefined && event.tag !== undefined
    ? { log: event.line, ...(isMap(event.attrs) ? event.attrs : {}), container_name: event.tag }
    : event;
}

/** One line is one event. */
function* decodeRaw(body: Uint8Array): Decoding<LogRecord> {
  const into = createCollector<LogRecord>();
  for (const line of new TextDecoder().decode(body).split('\n')) {
    if (line.trim() !== '') {
      into.count('items');
      into.add(toPushedRecord({ timeNanos: 0n, body: line, attributes: {} }), () => line);
      yield* into.pauseAfter(line.length);
    }
  }
  return into.decoded;
}
