import { Environment } from '@marcbachmann/cel-js';
import type { Mapping } from '../../contract/integrations.ts';
import { clip, TEXT_LIMITS } from '../core/text.ts';

/** What a mapping reads from one event; null: the expression gave nothing. */
export type Mapped = Readonly<Record<keyof Mapping, string | null>>;

export const MAPPED_FIELDS = ['title', 'service', 'severity', 'key', 'state', 'link'] as const;

/** Limits of one expression. Its evaluation is bounded by the thread that it runs in. */
const LIMITS = { maxAstNodes: 200, maxDepth: 20, maxListElements: 50, maxMapEntries: 50, maxCallArguments: 8 };

function createEnvironment(): Environment {
  return new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS }).registerVariable('body', 'dyn');
}

const environment = createEnvironment();

/** What is wrong with an expression, in one sentence; null: nothing. */
export function describeExpressionFault(expression: string): string | null {
  try {
    const { valid, error } = environment.check(expression);
    return valid ? null : firstLine(error);
  } catch (error) {
    return firstLine(error);
  }
}

/** Compiles a mapping. The result never throws: an expression that fails, or reads what is absent, gives null. */
export function compileMapping(mapping: Mapping): (body: unknown) => Mapped {
  const fields = MAPPED_FIELDS.map((field) => {
    const expression = mapping[field];
    return [field, expression === undefined ? null : environment.parse(expression)] as const;
  });
  return (body) => {
    const entries = fields.map(
      ([field, evaluate]) => [field, evaluate === null ? null : read(evaluate, body)] as const,
    );
    return Object.fromEntries(entries) as Mapped; // one entry per field
  };
}

function read(evaluate: (context: Record<string, unknown>) => unknown, body: unknown): string | null {
  try {
    return toText(evaluate({ body }));
  } catch {
    return null;
  }
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') {
    return value.trim() === '' ? null : clip(value.trim(), TEXT_LIMITS.attribute);
  }
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : null;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]?.trim() ?? 'it is invalid';
}
