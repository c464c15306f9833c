import { Environment } from '@marcbachmann/cel-js';
import type { Mapping } from '../../../contract/integrations.ts';
import { clip, TEXT_LIMITS } from '../../core/text.ts';
import { stateInText, subjectOf, withoutState } from './read-state.ts';
import { isUnfilled } from './unfilled.ts';

/** What people write for each event. The others say more of what a product tells. */
export const MAPPED_FIELDS = ['title', 'service', 'severity', 'key', 'state', 'link'] as const;
export const FURTHER_FIELDS = ['user', 'note', 'at', 'events'] as const;
export type MappingField = (typeof MAPPED_FIELDS)[number] | (typeof FURTHER_FIELDS)[number];

const READ_OF_EACH = [...MAPPED_FIELDS, 'user', 'note', 'at'] as const;

/** What a mapping reads from one event; null: the expressions gave nothing. */
export type Mapped = Readonly<Record<(typeof READ_OF_EACH)[number], string | null>> & {
  /** The entry of the list that `events` gives; absent: the body is the event. */
  readonly event?: unknown;
};

/** Limits of one expression. Its evaluation is bounded by the process that it runs in. */
const LIMITS = { maxAstNodes: 200, maxDepth: 20, maxListElements: 50, maxMapEntries: 50, maxCallArguments: 8 };

/** Events in one body. */
export const MAX_MAPPED_EVENTS = 100;

function createEnvironment(): Environment {
  return new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS })
    .registerFunction('parseJson(string): dyn', (text: string) => JSON.parse(text))
    .registerFunction('stateIn(string): string', (text: string) => stateInText(text) ?? '')
    .registerFunction('withoutState(string): string', (text: string) => withoutState(text))
    .registerFunction('subjectOf(string): string', (text: string) => subjectOf(text))
    .registerVariable('body', 'dyn')
    .registerVariable('event', 'dyn');
}

const environment = createEnvironment();

/** Each line is an expression of its own; the first that gives something counts. */
function linesOf(expression: string): string[] {
  return expression.split('\n').filter((line) => line.trim() !== '');
}

/** What is wrong with an expression, in one sentence; null: nothing. */
export function describeExpressionFault(expression: string): string | null {
  for (const line of linesOf(expression)) {
    try {
      const { valid, error } = environment.check(line);
      if (!valid) {
        return firstLine(error);
      }
    } catch (error) {
      return firstLine(error);
    }
  }
  return null;
}

/** Which expression is invalid, and what is wrong with it; null: none is. */
export function findMappingFault(mapping: Mapping): { readonly field: MappingField; readonly detail: string } | null {
  for (const field of [...MAPPED_FIELDS, ...FURTHER_FIELDS]) {
    const detail = mapping[field] === undefined ? null : describeExpressionFault(mapping[field]);
    if (detail !== null) {
      return { field, detail };
    }
  }
  return null;
}

type Evaluate = (context: Record<string, unknown>) => unknown;

/** Compiles a mapping. Nothing throws: an expression that is invalid, fails, or reads what is absent gives null. */
export function compileMapping(mapping: Mapping): (body: unknown) => Mapped[] {
  const compile = (expression: string | undefined) =>
    expression === undefined ? [] : linesOf(expression).flatMap((line) => parse(line) ?? []);
  const fields = READ_OF_EACH.map((field) => [field, compile(mapping[field])] as const);
  const listed = compile(mapping.events);
  const readOne = (body: unknown, event: unknown) => {
    const context = { body, event };
    const read = fields.map(([field, lines]) => [field, firstOf(lines, (line) => toText(evaluate(line, context)))]);
    return Object.fromEntries(read) as Mapped; // one entry per field
  };
  return (body) => {
    if (listed.length === 0) {
      return [readOne(body, body)];
    }
    const events = firstOf(listed, (line) => toList(evaluate(line, { body, event: body }))) ?? [];
    return events.map((event) => ({ ...readOne(body, event), event }));
  };
}

function parse(line: string): Evaluate | null {
  try {
    return environment.parse(line);
  } catch {
    return null;
  }
}

function firstOf<Value>(lines: readonly Evaluate[], read: (line: Evaluate) => Value | null): Value | null {
  for (const line of lines) {
    const value = read(line);
    if (value !== null) {
      return value;
    }
  }
  return null;
}

function evaluate(line: Evaluate, context: Record<string, unknown>): unknown {
  try {
    return line(context);
  } catch {
    return null;
  }
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') {
    return isUnfilled(value) ? null : clip(value.trim(), TEXT_LIMITS.attribute);
  }
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** One more than may be, so that too many are noticed. */
function toList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value.slice(0, MAX_MAPPED_EVENTS + 1) : null;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]?.trim() ?? 'it is invalid';
}
