import type { FilterName } from '../incident/incident-filter.ts';

/** What may follow the word of a command. */
export interface CommandArguments {
  /** Incidents by number, id or root service. `many`: separated by spaces; `list`: separated by commas, then text. */
  readonly references: 'none' | 'one' | 'many' | 'list';
  readonly hasText: boolean;
  readonly filters: readonly FilterName[];
  /** Its text names people and groups. */
  readonly hasPeople?: boolean;
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

export const NOTHING: CommandArguments = { references: 'none', hasText: false, filters: [] };
export const TEXT: CommandArguments = { ...NOTHING, hasText: true };

/** The words after `/incidents`. The parser, the help and docs/commands.md are made from them. */
export type Words = Readonly<Record<string, Command>>;

/** Finds a word or one of its aliases, in any case. */
export function findCommand(typed: string, words: Words): string | null {
  const name = typed.toLowerCase();
  return Object.entries(words).find(([word, command]) => namesOf(word, command).includes(name))?.[0] ?? null;
}

export function namesOf(word: string, { aliases }: Command): readonly string[] {
  return [word, ...aliases];
}
