import type { Attributes, LogRecord } from '../../../core/telemetry.ts';
import { createCollector, type Decoding } from '../../decoded.ts';
import { INGEST_LIMITS } from '../../limits.ts';
import { severityOfSyslog } from '../../log-level.ts';
import { given, nanosOf, type PushFormat, toPushedRecord } from '../../push/push-format.ts';

/**
 * Syslog, new (RFC 5424) and old (RFC 3164), line by line or each with its length before it (RFC 6587), as rsyslog's omhttp and
 * Heroku's drains post it; `syslog-server.ts` takes it over TCP and UDP.
 */
export const SYSLOG: PushFormat = {
  words: 'Syslog (rsyslog, syslog-ng, Heroku drains, network devices)',
  addresses: [''],
  decoderFor: ({ now }) => ({
    kind: 'logs',
    decode: (body) => decode(body, now),
    answer: () => new Response(null, { status: 204 }),
  }),
  setUp: ({ url, key }) => [
    {
      title: 'Tocsin: environment, for TCP and UDP without TLS (restart it)',
      text: `SYSLOG_PORT=5514\nSYSLOG_KEY=${key}\n`,
    },
    {
      title: 'rsyslog: /etc/rsyslog.d/tocsin.conf',
      // Without a queue and retries, rsyslog drops what it cannot send, and holds up everything else meanwhile.
      text: `*.* action(type="omfwd" target="${new URL(url).hostname}" port="5514" protocol="tcp" template="RSYSLOG_SyslogProtocol23Format"\n  queue.type="LinkedList" queue.size="10000" action.resumeRetryCount="-1" action.resumeInterval="5")\n`,
    },
    { title: 'Heroku', text: `heroku drains:add '${url}?token=${key}'\n` },
    {
      title: 'Try it',
      text: `curl -X POST ${url} -H 'Authorization: Bearer ${key}' --data-binary '<131>1 - host-1 my-service - - - a test of Tocsin'\n`,
    },
  ],
};

function* decode(body: Uint8Array, now: Date): Decoding<LogRecord> {
  const into = createCollector<LogRecord>();
  for (const message of splitMessages(new TextDecoder().decode(body))) {
    into.count('items');
    if (message.length > INGEST_LIMITS.itemBytes) {
      into.addTooLarge();
    } else {
      into.add(readSyslog(message, now), () => message);
    }
    yield* into.pauseAfter(message.length);
  }
  return into.decoded;
}

/** With lengths if the text begins with one. The rest of an octet-counted text may have any characters. */
function* splitMessages(text: string): Generator<string> {
  let rest = text;
  for (;;) {
    const [prefix, length] = /^(\d{1,7}) (?=<)/.exec(rest) ?? [];
    if (prefix === undefined) {
      break;
    }
    const bytes = Buffer.from(rest.slice(prefix.length));
    yield bytes.subarray(0, Number(length)).toString().trimEnd();
    rest = bytes.subarray(Number(length)).toString().trimStart();
  }
  for (const line of rest.split('\n')) {
    if (line.trim() !== '') {
      yield line.trimEnd();
    }
  }
}

/** `<165>1 2026-01-31T08:00:00Z host app 12 ID47 [a@1 k="v"] message` (RFC 5424, 6) */
const NEW =
  /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^\]"\\]|\\.|"(?:[^"\\]|\\.)*")*\])+)(?: ([\s\S]*))?$/;
const START_OF_OLD = String.raw`^<(\d{1,3})>((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) `;
const PROGRAM = String.raw`([\w./-]{1,48})`;
/** `<34>Oct 11 22:14:15 host app[12]: message`; the host may be missing (RFC 3164, 4.1) */
const OLD = new RegExp(String.raw`${START_OF_OLD}(?:(\S+) )??${PROGRAM}(?:\[(\d+)\])?: ?([\s\S]*)$`);
/**
 * The same without the mark behind the program: a relay has left it out, or a device names none. What is read as the program
 * stays in the message, since it may be the first word.
 */
const BARE = new RegExp(String.raw`${START_OF_OLD}(\S+) ((?:${PROGRAM} )?[\s\S]+)$`);
const PARAMETER = /([^\s="\][]+)="((?:[^"\\\]]|\\.)*)"/g;

/** A line without a priority is a message as well: nothing is refused for its form. */
export function readSyslog(message: string, now: Date): LogRecord {
  const fresh = NEW.exec(message);
  if (fresh !== null) {
    const [, priority, time, host, app, process, id, data = '', text = ''] = fresh;
    const parameters = [...data.matchAll(PARAMETER)].slice(0, INGEST_LIMITS.attributes);
    const values = parameters.map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]);
    const header = { priority, time: nanosOf(time), host, app, process, id };
    return toRecord(header, text.replace(/^\ufeff/, ''), Object.fromEntries(values));
  }
  const marked = OLD.exec(message);
  if (marked !== null) {
    const [, priority, time = '', host, app, process, text = ''] = marked;
    return toRecord({ priority, time: timeOfOld(time, now), host, app, process, id: undefined }, text, {});
  }
  const [, priority, time = '', host, text, app] = BARE.exec(message) ?? [];
  return text === undefined
    ? toPushedRecord({ timeNanos: 0n, body: message, attributes: {} })
    : toRecord({ priority, time: timeOfOld(time, now), host, app, process: undefined, id: undefined }, text, {});
}

/** Without a year and a zone: the one that is nearest, in UTC. Devices are often wrong by hours, so a far one is none. */
function timeOfOld(time: string, now: Date): bigint {
  const nanos = /^\d{4}/.test(time) ? nanosOf(time) : nanosOf(`${time} ${now.getUTCFullYear()} UTC`);
  const isNear = Math.abs(Number(nanos / 1_000_000n) - now.getTime()) < 60_000;
  return isNear ? nanos : 0n;
}

interface Header {
  readonly priority: string | undefined;
  readonly time: bigint;
  readonly host: string | undefined;
  readonly app: string | undefined;
  readonly process: string | undefined;
  readonly id: string | undefined;
}

function toRecord({ priority, time, host, app, process, id }: Header, body: string, data: Attributes): LogRecord {
  const known = { 'host.name': host, appname: app, 'process.pid': process, 'syslog.msgid': id };
  return toPushedRecord({
    timeNanos: time,
    severityNumber: severityOfSyslog(Number(priority) % 8),
    body,
    attributes: { ...data, ...withoutNil(given(known)) },
  });
}

/** `-` stands for what is not known. */
function withoutNil(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== '-'));
}
