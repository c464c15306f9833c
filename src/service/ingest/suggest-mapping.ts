import type { Mapping } from '../../contract/integrations.ts';
import type { MAPPED_FIELDS } from './mapping.ts';

type Field = (typeof MAPPED_FIELDS)[number];

/**
 * Names under which senders have each field, the most telling first, without case and separators. They were taken from the
 * documented webhooks of Azure Monitor, Google Cloud Monitoring, Pingdom, Better Stack, Healthchecks.io, Uptime Robot,
 * Dynatrace, Splunk, Nagios (its macros) and others (read on 2026-11-26). Those of PagerDuty, Statuspage, Netdata, Rollbar,
 * LogicMonitor and VictorOps were not compared with their pages.
 */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  title: words(
    'title problemtitle subject headline alertname alertrule rulename policyname checkname monitorname',
    'monitorfriendlyname searchname conditionname entitydisplayname summary servicedescription servicedesc name message',
    'msg text statemessage description reason serviceoutput hostoutput pluginoutput output',
  ),
  service: words(
    'service servicename application appname app component configurationitems resourcedisplayname resourcename',
    'impactedentitynames impactedentity checkname monitorname monitorfriendlyname hostname host resource project',
  ),
  severity: words('severity alertseverity priority urgency importancelevel importance level alertlevel'),
  key: words(
    'dedupkey fingerprint incidentkey alertid incidentid issueid problemid checkid monitorid entityid alertcorrelationid',
    'searchname key uuid id',
  ),
  state: words(
    'monitorcondition currentstate alertstate alertstatus servicestate hoststate state status alerttypefriendlyname',
    'messagetype event action',
  ),
  link: words(
    'link permalink weburl htmlurl alerturl incidenturl problemurl dashboardurl portallink resultslink url href monitorurl',
  ),
};

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** What a value must be like. */
const FITS: Readonly<Record<Field, (value: Scalar) => boolean>> = {
  title: (value) => typeof value === 'string',
  service: (value) => typeof value === 'string' && value.length <= 100 && !value.includes('://'),
  severity: (value) => typeof value === 'string' && value.length <= 20,
  key: () => true,
  state: (value) => typeof value === 'string' && value.length <= 30,
  link: (value) => typeof value === 'string' && /^https?:\/\//.test(value),
};

type Scalar = string | number;

interface Place {
  readonly name: string;
  readonly expression: string;
  /** The expression of the object that has it. */
  readonly owner: string;
  readonly depth: number;
  readonly value: Scalar;
}

/** Objects that may stand for a field, `service: {id, summary}`, and their members that people read. */
const OBJECTS: ReadonlySet<string> = new Set(words('service application app component host resource project priority'));
const LABELS: ReadonlySet<string> = new Set(words('name displayname summary'));

/** What is looked at, so that a payload of thousands of fields costs little. */
const LIMITS = { depth: 6, places: 500, expression: 200 };

/** Names that are words of the language. */
const RESERVED =
  /^(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|package|namespace|null|return|true|var|void|while)$/;

/**
 * A mapping to begin with, for a body that nobody has written one for: of each field the place with the most telling name,
 * and of equal names the one beside the title, else the least deep. The key is that of what has the title or of what that
 * is part of: others, as of a host, are the same for different failures. People see what it gives before they save it.
 *
 * @returns without the fields that are not found; empty if there is no title
 */
export function suggestMapping(body: unknown): Partial<Mapping> {
  const places = placesIn(body, 'body', 0);
  const title = findPlace(places, 'title', null);
  if (title === undefined) {
    return {};
  }
  const beside = places.filter(({ owner }) => owner === title.owner);
  const around = places.filter(
    ({ owner }) => title.owner.startsWith(`${owner}.`) || title.owner.startsWith(`${owner}[`),
  );
  const others = {
    service: findPlace(places, 'service', title),
    severity: findPlace(places, 'severity', title),
    key: findPlace(beside, 'key', title) ?? findPlace(around, 'key', title),
    state: findPlace(places, 'state', title),
    link: findPlace(places, 'link', title),
  };
  const found = Object.entries(others).flatMap(([field, place]) => (place ? [[field, place.expression] as const] : []));
  return { title: title.expression, ...Object.fromEntries(found) };
}

function findPlace(places: readonly Place[], field: Field, title: Place | null): Place | undefined {
  const distance = ({ owner, depth }: Place) => (owner === title?.owner ? -1 : depth);
  const fitting = places.filter(({ value }) => FITS[field](value)).toSorted((a, b) => distance(a) - distance(b));
  return NAMES[field].map((name) => fitting.find((place) => place.name === name)).find((place) => place !== undefined);
}

/** Texts and numbers; of a list only its first entry, which has the name of the list. */
function placesIn(value: unknown, expression: string, depth: number): Place[] {
  if (typeof value !== 'object' || value === null || depth === LIMITS.depth) {
    return [];
  }
  const entries: (readonly [string, unknown])[] = Array.isArray(value) ? [['0', value[0]]] : Object.entries(value);
  const places: Place[] = [];
  for (const [key, entry] of entries.slice(0, LIMITS.places)) {
    const inner = Array.isArray(value) ? `${expression}[0]` : expression + access(key);
    const isText = typeof entry === 'string' && entry.trim() !== '';
    if (inner.length > LIMITS.expression || places.length >= LIMITS.places) {
      continue;
    }
    if (isText || typeof entry === 'number') {
      const [name, owner] = [nameIn(Array.isArray(value) ? expression : key), nameIn(expression)];
      const isLabel = OBJECTS.has(owner) && LABELS.has(name);
      places.push({ name: isLabel ? owner : name, expression: inner, owner: expression, depth, value: entry });
    } else {
      places.push(...placesIn(entry, inner, depth + 1));
    }
  }
  return places.slice(0, LIMITS.places);
}

function access(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && !RESERVED.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** The name in a key, or in the expression of a list: `body.configurationItems`. */
function nameIn(text: string): string {
  return (/[\w-]+(?="?\]?$)/.exec(text)?.[0] ?? text).replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}
