import type { FilterName } from './incident-filter.ts';

/** What may follow the word of a command. */
export interface CommandArguments {
  /** Incidents by number, id or root service. `many`: separated by spaces; `list`: separated by commas, then text. */
  readonly references: 'none' | 'one' | 'many' | 'list';
  readonly hasText: boolean;
  readonly filters: readonly FilterName[];
}

export interface Command {
  readonly aliases: readonly string[];
  readonly takes: CommandArguments;
  /** What follows the word, as help and docs show it; empty: nothing. */
  readonly usage: string;
  readonly help: string;
  /** What follows the word in an example; empty: nothing. */
  readonly example: string;
}

const NOTHING: CommandArguments = { references: 'none', hasText: false, filters: [] };
const TEXT: CommandArguments = { ...NOTHING, hasText: true };

/**
 * The words after `/incidents`. The parser, the help, docs/commands.md and the usage hint of the manifest are made from this
 * table, and each word has a handler in `command-handlers.ts`.
 */
export const COMMAND_TABLE = {
  open: {
    aliases: ['list'],
    takes: { ...NOTHING, filters: ['service', 'severity', 'label', 'acknowledged'] },
    usage: '[service:<name>] [severity:<word>] [team:<name>] [unacked]',
    help: 'lists the open incidents, the worst first',
    example: '',
  },
  closed: {
    aliases: [],
    takes: { ...NOTHING, filters: ['period', 'service', 'severity', 'label', 'acknowledged'] },
    usage: '[7d] [service:<name>] [severity:<word>] [team:<name>]',
    help: 'lists what was closed, last closed first; without a period, in the last 24 hours',
    example: '7d',
  },
  mine: {
    aliases: [],
    takes: { ...NOTHING, filters: ['service', 'severity', 'label'] },
    usage: '[service:<name>] [severity:<word>] [team:<name>]',
    help: 'lists the open incidents that you or your groups acknowledged, lead or communicate',
    example: '',
  },
  declare: {
    aliases: ['new', 'create'],
    takes: { ...NOTHING, references: 'list', hasText: true },
    usage: '[<service> <what fails>]',
    help: 'opens an incident by hand; without a text, a form opens',
    example: 'payments cards are refused',
  },
  change: {
    aliases: ['edit', 'set'],
    takes: { ...NOTHING, references: 'one' },
    usage: '<#number, id or service>',
    help: 'sets title, severity, root service, lead and communications by hand',
    example: '#142',
  },
  assign: {
    aliases: [],
    takes: { ...NOTHING, references: 'list', hasText: true },
    usage: '<#number, id or service> [@who leads] [@who communicates]',
    help: 'assigns to people or user groups, or to `me`; without names, the form of `change` opens',
    example: '#142 @sre',
  },
  show: {
    aliases: [],
    takes: { ...NOTHING, references: 'one' },
    usage: '<#number, id or service>',
    help: 'shows one incident with its signals',
    example: '#142',
  },
  ack: {
    aliases: ['acknowledge', 'take'],
    takes: { ...NOTHING, references: 'many' },
    usage: '[<#number, id or service> …]',
    help: 'acknowledges: you are working on it; without a number, the only one that nobody has taken',
    example: '#142 #143',
  },
  resolve: {
    aliases: ['close'],
    takes: { ...NOTHING, references: 'list', hasText: true },
    usage: '<#number, id or service> [note]',
    help: 'closes with a note, and asks first if it still fails; without a note, a form opens',
    example: '#142 rolled back 1.2.3',
  },
  snooze: {
    aliases: [],
    takes: { ...NOTHING, references: 'list', hasText: true },
    usage: '<#number, id or service:name> [1h, 4h, 2d or tomorrow] [reason]',
    help: 'holds back reminders and new cards of an incident, or of a service during planned work',
    example: '#142 4h',
  },
  signals: {
    aliases: [],
    takes: { ...NOTHING, references: 'one' },
    usage: '<#number, id or service>',
    help: 'opens the signals of one incident and the possible root services',
    example: '#142',
  },
  subscribe: {
    aliases: [],
    takes: { ...NOTHING, filters: ['service', 'severity', 'label'] },
    usage: '[service:<name>] [severity:<word>] [team:<name>]',
    help: 'opens the form that sends incidents to this channel',
    example: 'team:payments',
  },
  unsubscribe: {
    aliases: [],
    takes: NOTHING,
    usage: '',
    help: 'stops incidents in this channel, after a question',
    example: '',
  },
  rules: { aliases: [], takes: NOTHING, usage: '', help: 'shows who is told about what', example: '' },
  stats: {
    aliases: [],
    takes: { ...NOTHING, filters: ['period', 'any service'] },
    usage: '[7d] [<service>]',
    help: 'counts incidents, time to acknowledge and to close, frequent roots and noise',
    example: '7d payments',
  },
  handover: {
    aliases: [],
    takes: { ...NOTHING, filters: ['period'] },
    usage: '[8h]',
    help: 'posts the summary of the shift to this channel',
    example: '',
  },
  export: {
    aliases: [],
    takes: { ...NOTHING, references: 'one', filters: ['period'] },
    usage: '<#number, id or service> or export audit [7d]',
    help: 'writes the timeline of an incident to its thread as Markdown, or sends you the audit log as CSV',
    example: '#142',
  },
  dashboard: {
    aliases: ['login'],
    takes: { ...NOTHING, references: 'one' },
    usage: '[<#number, id or service>]',
    help: 'gives you a link to the dashboard, or to the page of one incident',
    example: '#142',
  },
  health: { aliases: [], takes: NOTHING, usage: '', help: 'shows how late the cards are and why', example: '' },
  help: { aliases: [], takes: TEXT, usage: '[command]', help: 'shows this help', example: '' },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandWord = keyof typeof COMMAND_TABLE;

export const COMMAND_WORDS = Object.keys(COMMAND_TABLE) as readonly CommandWord[]; // the keys of the table

/** Finds a word or one of its aliases, in any case. */
export function findCommand(typed: string): CommandWord | null {
  const name = typed.toLowerCase();
  return COMMAND_WORDS.find((word) => namesOf(word).includes(name)) ?? null;
}

export function namesOf(word: CommandWord): readonly string[] {
  return [word, ...COMMAND_TABLE[word].aliases];
}
