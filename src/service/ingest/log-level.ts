import { SEVERITY_NUMBERS, severityNumberNamed } from '../core/judge-logs.ts';
import type { AttributeValue } from '../core/telemetry.ts';
import { textOf } from '../core/text.ts';

/** The level of a line in plain text stands near its beginning. */
const HEAD = 120;

type ReadNumber = (number: number) => number | null;

/** The words of the keys that hold a level, the most exact first, and what a number in them means. */
const KEYS: readonly (readonly [words: readonly string[], read: ReadNumber])[] = [
  [['severity', 'number'], (number) => (number >= 1 && number <= 24 ? number : null)], // OpenTelemetry
  [['severity', 'text'], levelOfNumber],
  [['level'], levelOfNumber],
  [['severity'], levelOfNumber],
  [['log', 'level'], levelOfNumber],
  [['level', 'name'], levelOfNumber],
  [['lvl'], levelOfNumber],
  [['priority'], severityOfSyslog],
  [['syslog', 'severity'], severityOfSyslog],
];

/** `log level` as loggers write it: `log.level`, `log_level`, `loglevel`, `logLevel`, `LogLevel`, `LOG_LEVEL`. */
export function spelt(words: readonly string[]): string[] {
  const capital = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  const [first = ''] = words;
  const all = [
    words.join('_'),
    words.join('.'),
    words.join(''),
    first + capital.slice(1).join(''),
    capital.join(''),
    words.join('_').toUpperCase(),
  ];
  return [...new Set(all)];
}

const SPELT_KEYS = [
  ...KEYS.flatMap(([words, read]) => spelt(words).map((key) => [key, read] as const)),
  ['@l', levelOfNumber] as const, // Serilog
];

/** The level that structured fields tell, as OpenTelemetry's number. @param valueAt gives the value of a key */
export function levelOfFields(valueAt: (key: string) => AttributeValue | undefined): number | null {
  for (const [key, read] of SPELT_KEYS) {
    const value = valueAt(key);
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,2}$/.test(value));
    const level = isNumber ? read(Number(value)) : severityNumberNamed(nameIn(textOf(value)));
    if (level !== null) {
      return level;
    }
  }
  return null;
}

/** Go's slog names a level between others by its distance: `ERROR+4`. */
function nameIn(text: string): string {
  return withoutColors(text).replace(/[+-]\d+$/, '');
}

const ESCAPE = '\u001b';
/** Of a terminal (ECMA-48, 8.3.117). Node's `stripVTControlCharacters` takes seconds for a hostile line. */
const COLORS = new RegExp(`${ESCAPE}\\[[\\d;:]*m`, 'g');

/** A text as it was before a logger colored it. */
export function withoutColors(text: string): string {
  return text.replaceAll(COLORS, '');
}

/** 0 to 7, less is worse (RFC 5424, 6.2.1). */
export function severityOfSyslog(number: number): number {
  const { fatal, error, warn, info } = SEVERITY_NUMBERS;
  return number <= 2 ? fatal : number === 3 ? error : number === 4 ? warn : info;
}

/** From 10 on as pino and bunyan number them (more is worse), below as syslog does. */
function levelOfNumber(number: number): number {
  const { fatal, error, warn, info } = SEVERITY_NUMBERS;
  if (number < 10) {
    return severityOfSyslog(number);
  }
  return number >= 60 ? fatal : number >= 50 ? error : number >= 40 ? warn : info;
}

/**
 * Words that may be a level, where plain text marks one: in capitals (`08:00:00 ERROR …`, `[08:00:00 ERR]`, `ERROR:root:…`,
 * `ERROR/Worker-1]`, `shop.ERROR: …`), in brackets of its own (`[error]`, `[core:error]`, `[Error   ]`), or first before a colon
 * (`fail: Shop.Cards[0]`). Other words in small letters are part of a sentence.
 */
const MARKED =
  /(?<=^|[\s[|(<:])[A-Z]{3,13}(?=[\s\]|)>:,/]|$)|(?<=\.)[A-Z]{3,13}(?=: )|(?<=\[(?:\w+:)?)[A-Za-z]{3,13}(?= *\])|^(?!panic)[a-z]{3,13}(?=: )/g;
/** Levels of java.util.logging that are words of any sentence. */
const IS_COMMON_WORD = /^(?:config|fine|finer|finest)$/i;
/** `E0131 08:00:00.000000       1 file.go:42] …` of Kubernetes; newer glog has the year too. */
const KLOG = /^([IWEF])(?:\d{4}|\d{8}) \d\d:\d\d:\d\d/;
const KLOG_LEVELS: Readonly<Record<string, keyof typeof SEVERITY_NUMBERS>> = {
  I: 'info',
  W: 'warn',
  E: 'error',
  F: 'fatal',
};

/** What a runtime writes when a program or its request dies of what nobody caught, which no logger gave a level. */
const CRASH =
  /^(?:panic: |fatal error: |terminate called |Exception in thread |[\w.$]*(?:Error|Exception)(?:: |$))|\b[Uu]n(?:caught|handled) (?:\w*[Ee]rror|\w*[Ee]xception|promise rejection)\b|\bpanic(?:ked at| serving) /;

/** The first level in the head of a line in plain text. */
export function levelOfText(text: string): number | null {
  const head = text.slice(0, HEAD);
  const [, letter] = KLOG.exec(head) ?? [];
  if (letter !== undefined) {
    return SEVERITY_NUMBERS[KLOG_LEVELS[letter] ?? 'info'];
  }
  for (const [word] of head.matchAll(MARKED)) {
    const level = IS_COMMON_WORD.test(word) ? null : severityNumberNamed(word);
    if (level !== null) {
      return level;
    }
  }
  return CRASH.test(head) ? SEVERITY_NUMBERS.error : null;
}

/** `<3>` of the kernel and of daemons under systemd (sd-daemon(3)): facility times 8, plus the severity. */
const PRIORITY = /^<(\d{1,3})>/;

/** The priority before a line, and the line without it. @returns null: it has none */
export function takePriority(line: string): { readonly severity: number; readonly rest: string } | null {
  const [prefix, priority] = PRIORITY.exec(line) ?? [];
  return prefix === undefined || Number(priority) > 191
    ? null
    : { severity: severityOfSyslog(Number(priority) % 8), rest: line.slice(prefix.length).trimStart() };
}
