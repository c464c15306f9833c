/** A rule of Slack that a payload breaks, with a JSON pointer to the place. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
  /** The allowed values. */
  readonly constraint?: { readonly type: 'enum'; readonly expected: readonly string[]; readonly got: string };
}

type Report = (fault: Violation) => void;

/** Validates a value and reports violations in Slack's wording. */
export type Check = (value: unknown, pointer: string, report: Report) => void;

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function string(bounds: { min?: number; max: number }): Check {
  return (value, pointer, report) => {
    if (typeof value !== 'string') {
      report({ pointer, message: 'must provide a string' });
      return;
    }
    const min = bounds.min ?? 1;
    if (value.length < min) {
      report({ pointer, message: `must be more than ${min - 1} characters` });
    }
    if (value.length > bounds.max) {
      report({ pointer, message: `must be less than ${bounds.max + 1} characters` });
    }
  };
}

export function integer(bounds: { min?: number; max?: number } = {}): Check {
  return (value, pointer, report) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      report({ pointer, message: 'must provide an integer' });
      return;
    }
    if (bounds.min !== undefined && value < bounds.min) {
      report({ pointer, message: `must be greater than ${bounds.min - 1}` });
    }
    if (bounds.max !== undefined && value > bounds.max) {
      report({ pointer, message: `must be less than ${bounds.max + 1}` });
    }
  };
}

export const boolean: Check = (value, pointer, report) => {
  if (typeof value !== 'boolean') {
    report({ pointer, message: 'must provide a boolean' });
  }
};

export function oneOf(...values: readonly string[]): Check {
  return (value, pointer, report) => {
    if (typeof value !== 'string' || !values.includes(value)) {
      const constraint = { type: 'enum', expected: values, got: String(value) } as const;
      report({ pointer, message: `value must be one of: ${values.join(', ')}`, constraint });
    }
  };
}

export function matching(pattern: RegExp, name: string): Check {
  return (value, pointer, report) => {
    if (typeof value !== 'string' || !pattern.test(value)) {
      report({ pointer, message: `must be ${name}` });
    }
  };
}

export function list(item: Check, bounds: { min?: number; max: number }): Check {
  return (value, pointer, report) => {
    if (!Array.isArray(value)) {
      report({ pointer, message: 'must provide an array' });
      return;
    }
    const min = bounds.min ?? 1;
    if (value.length < min) {
      report({ pointer, message: `no fewer than ${min} items allowed` });
    }
    if (value.length > bounds.max) {
      report({ pointer, message: `no more than ${bounds.max} items allowed` });
    }
    value.forEach((each, index) => {
      item(each, `${pointer}/${index}`, report);
    });
  };
}

/** An object with exactly these fields. */
export function object(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value, pointer, report) => {
    if (!isFields(value)) {
      report({ pointer, message: 'must provide an object' });
      return;
    }
    for (const name of Object.keys(required)) {
      if (value[name] === undefined || value[name] === null) {
        report({ pointer, message: `missing required field: ${name}` });
      }
    }
    for (const [name, field] of Object.entries(value)) {
      const check = Object.hasOwn(required, name) ? required[name] : optional[name];
      if (check === undefined || (!Object.hasOwn(required, name) && !Object.hasOwn(optional, name))) {
        report({ pointer, message: `invalid additional property: ${name}` });
      } else if (field !== undefined && field !== null) {
        check(field, `${pointer}/${name}`, report);
      }
    }
  };
}

/** Selects the check by the `type` of the object. */
export function byType(checks: Readonly<Record<string, Check>>): Check {
  return (value, pointer, report) => {
    if (!isFields(value)) {
      report({ pointer, message: 'must provide an object' });
      return;
    }
    const type = value.type;
    if (typeof type !== 'string') {
      report({ pointer, message: 'missing required field: type' });
      return;
    }
    const check = Object.hasOwn(checks, type) ? checks[type] : undefined;
    if (check === undefined) {
      const constraint = { type: 'enum', expected: Object.keys(checks), got: type } as const;
      report({ pointer: `${pointer}/type`, message: `unsupported type: ${type}`, constraint });
      return;
    }
    check(value, pointer, report);
  };
}

/** Applies several checks to the same value. */
export function every(...checks: readonly Check[]): Check {
  return (value, pointer, report) => {
    for (const check of checks) {
      check(value, pointer, report);
    }
  };
}

export function violationsOf(check: Check, value: unknown, pointer: string): Violation[] {
  const violations: Violation[] = [];
  check(value, pointer, (violation) => violations.push(violation));
  return violations;
}
