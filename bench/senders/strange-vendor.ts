import { chance, pick, type Random, wholeBetween } from '../lab/random.ts';
import type { Tongue } from './strange-words.ts';

/** One failure in truth. */
export interface Failure {
  readonly host: string;
  readonly check: string;
  /** Another each time that it begins again. */
  readonly occurrence: number;
  readonly severity: 'critical' | 'warning';
}

export type Said = 'fails' | 'over' | 'acknowledged';

/** A sender, as its payloads. */
export interface Vendor {
  readonly name: string;
  /** One event of a failure. */
  readonly event: (failure: Failure, said: Said, serial: number) => Record<string, unknown>;
  /** Several events as one body; absent: it sends one each time. */
  readonly batch?: (events: readonly Record<string, unknown>[]) => unknown;
  /** What the words of its states mean, in lower case: the answer of a person. */
  readonly answers: Readonly<Record<string, Said>>;
  readonly reportsAcknowledgement: boolean;
}

const STATE_KINDS = ['word', 'word', 'word', 'word', 'word', 'word', 'word', 'flag', 'time', 'number', 'mark'] as const;
const ID_KINDS = ['failure', 'failure', 'notification', 'rule', 'none', 'pairs'] as const;
const ID_NAMES = {
  failure: ['incident_id', 'id', 'fingerprint', 'alarmId', 'reference', 'vorgang', 'folio', 'uid'],
  notification: ['id', 'message_id', 'uuid', 'nummer', 'event_id'],
  rule: ['rule_id', 'alert_id', 'id', 'policy'],
} as const;

/** A vendor that nobody has seen: names, nesting, words, ids, batches and severities by chance. */
export function createStrangeVendor(random: Random, at: number, tongues: readonly Tongue[]): Vendor {
  const tongue = pick(random, tongues);
  const [stateKind, idKind] = [pick(random, STATE_KINDS), pick(random, ID_KINDS)];
  const state = createState(random, tongue, stateKind);
  const names = Object.fromEntries(
    (['title', 'host', 'check', 'severity'] as const).map((field) => [field, pick(random, tongue.names[field])]),
  );
  const idName = pick(random, idKind === 'none' || idKind === 'pairs' ? ['id'] : ID_NAMES[idKind]);
  const holders = Array.from({ length: wholeBetween(random, 0, 2) }, () => pick(random, tongue.names.holder));
  const severityOf = createSeverity(random);
  const hasMeasure = chance(random, 0.3);
  // Without a text its end can only be told by an id or by where it is.
  const isEndBare = chance(random, 0.15) && stateKind !== 'mark' && idKind === 'failure';
  const noiseOf = createNoise(random);
  const ids = (failure: Failure, serial: number) => {
    const of = [failure.host, failure.check, failure.occurrence].join('-');
    const values = {
      failure: { [idName]: `f-${hash(of)}` },
      notification: { [idName]: 50_000 + serial },
      rule: { [idName]: `r-${hash(failure.check)}` },
    };
    return idKind === 'none' || idKind === 'pairs' ? {} : values[idKind];
  };
  const event = (failure: Failure, said: Said, serial: number) => {
    const { host, check } = failure;
    const measure = hasMeasure ? `: ${wholeBetween(random, 50, 99)}.${wholeBetween(random, 0, 9)} %` : '';
    const title = state.titled(`${tongue.sentence(check, host)}${measure}`, said);
    const where =
      idKind === 'pairs'
        ? {
            labels: [
              { key: names.host, value: host },
              { key: names.check, value: check },
            ],
          }
        : { [names.host ?? 'host']: host, [names.check ?? 'check']: check };
    const body = {
      ...ids(failure, serial),
      ...(isEndBare && said === 'over' ? {} : { [names.title ?? 'title']: title }),
      ...where,
      ...state.fields(said),
      ...severityOf(names.severity ?? 'severity', failure, said),
      timestamp: new Date(Date.UTC(2026, 0, 31, 8, serial % 60)).toISOString(),
      ...noiseOf(failure, said, serial),
    };
    return holders.reduce<Record<string, unknown>>((inner, holder) => ({ [holder]: inner }), body);
  };
  const isBatch = chance(random, 0.15);
  return {
    name: `${at} ${stateKind} ${idKind}${isBatch ? ' batch' : ''}${isEndBare ? ' bare' : ''}`,
    event,
    answers: state.answers,
    reportsAcknowledgement: stateKind === 'word' && chance(random, 0.5),
    ...(isBatch
      ? { batch: (events: readonly Record<string, unknown>[]) => ({ count: events.length, alerts: events }) }
      : {}),
  };
}

/** What vendors send besides: settings of theirs, groups, counters, links, placeholders that nobody filled. */
function createNoise(random: Random) {
  const kinds = (['constant', 'group', 'counter', 'link', 'unfilled', 'empty', 'earlier'] as const).filter(() =>
    chance(random, 0.25),
  );
  return ({ host, check, occurrence }: Failure, said: Said, serial: number): Record<string, unknown> => {
    const of = {
      constant: { account: 'shop', version: 3, site: 'eu-1' },
      group: { group_key: `g-${occurrence}`, dedup_group: 'infra' },
      counter: { notification_count: serial, duration_s: serial * 7 },
      link: { link: `https://example.com/${hash(host + check + occurrence)}?n=${serial}` },
      unfilled: { service: '$SERVICE', runbook: '{{ runbook }}', owner: '%OWNER%' },
      empty: { description: '', tags: [], extra: {}, assignee: null },
      earlier: { previous_status: said === 'fails' ? 'OK' : 'ALARM' },
    };
    return Object.assign({}, ...kinds.map((kind) => of[kind]));
  };
}

interface StateOfVendor {
  readonly fields: (said: Said) => Record<string, unknown>;
  readonly titled: (title: string, said: Said) => string;
  readonly answers: Readonly<Record<string, Said>>;
}

function createState(random: Random, tongue: Tongue, kind: (typeof STATE_KINDS)[number]): StateOfVendor {
  const [fails, over] = pick(random, tongue.states);
  const name = pick(random, tongue.names.state);
  const plain = (title: string) => title;
  switch (kind) {
    case 'word': {
      const words = { fails, over, acknowledged: tongue.acknowledged };
      const [before, after] = pick(random, [
        ['', ''],
        ['', ''],
        ['', ''],
        ['alarm_', ''],
        ['', ' event'],
        ['node:', ''],
      ]);
      const wordOf = (said: Said) => `${before}${words[said]}${after}`;
      const answers = Object.fromEntries(
        (['fails', 'over', 'acknowledged'] as const).map((said) => [wordOf(said).toLowerCase(), said]),
      );
      return { fields: (said) => ({ [name]: wordOf(said) }), titled: plain, answers };
    }
    case 'flag': {
      const flag = pick(random, tongue.names.isActive);
      return {
        fields: (said) => ({ [flag]: said === 'fails' }),
        titled: plain,
        answers: { true: 'fails', false: 'over' },
      };
    }
    case 'time': {
      const ended = tongue.names.endedAt;
      return {
        fields: (said) => ({ [ended]: said === 'over' ? '2026-01-31T08:05:00Z' : null }),
        titled: plain,
        answers: {},
      };
    }
    case 'number': {
      const [failing, ended] = pick(random, [
        [1, 0],
        [0, 1],
        [2, 0],
        [3, 1],
      ]);
      return {
        fields: (said) => ({ [name]: said === 'over' ? ended : failing }),
        titled: plain,
        answers: { [String(failing)]: 'fails', [String(ended)]: 'over' },
      };
    }
    case 'mark':
      return {
        fields: () => ({}),
        titled: (title, said) => `[${said === 'over' ? over : fails}] ${title}`,
        answers: { [fails.toLowerCase()]: 'fails', [over.toLowerCase()]: 'over' },
      };
  }
}

/** The severity of a critical and of a milder failure, as words or on a scale. */
function createSeverity(random: Random) {
  const kind = pick(random, ['none', 'words', 'words', 'up', 'down', 'hundred'] as const);
  return (name: string, { severity }: Failure, said: Said): Record<string, unknown> => {
    const isWorst = severity === 'critical';
    switch (kind) {
      case 'none':
        return {};
      case 'words':
        return { [name]: isWorst ? 'critical' : 'warning' };
      case 'up':
        return { [name]: said === 'over' ? 0 : isWorst ? 5 : 2 };
      case 'down':
        return { priority: isWorst ? 1 : 3 };
      case 'hundred':
        return { [name]: said === 'over' ? 0 : isWorst ? 95 : 40 };
    }
  };
}

function hash(text: string): string {
  let mixed = 7;
  for (const letter of text) {
    mixed = (Math.imul(mixed, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  }
  return mixed.toString(36);
}
