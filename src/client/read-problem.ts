import { STATUS_CODES } from 'node:http';
import { Problem } from '../contract/problem.ts';

const MAX_DETAIL_LENGTH = 500;

/**
 * Reads a problem from any error body: problem+json, `{error: "…"}`, `{error: {message}}`, `{message}`, a list of these,
 * plain text, a web page or nothing.
 *
 * @param redact is applied to every text of the body
 */
export function readProblem(status: number, body: string, redact: (text: string) => string): Problem {
  const found = fromJson(body, redact) ?? { detail: textOf(redact(body)) };
  const { detail, ...rest } = found;
  return {
    title: STATUS_CODES[status] ?? 'Unknown Status',
    ...rest,
    status,
    ...(detail ? { detail: detail.slice(0, MAX_DETAIL_LENGTH) } : {}),
  };
}

/** @returns undefined: not JSON */
function fromJson(body: string, redact: (text: string) => string): Problem | undefined {
  try {
    return fromValue(JSON.parse(body, (_key, value: unknown) => (typeof value === 'string' ? redact(value) : value)));
  } catch {
    return undefined;
  }
}

function fromValue(value: unknown): Problem {
  if (typeof value === 'string') {
    return { detail: value };
  }
  if (Array.isArray(value)) {
    return fromValue(value[0]);
  }
  if (typeof value !== 'object' || value === null) {
    return {};
  }
  const body = value as Readonly<Record<string, unknown>>;
  const nested = fromValue(body.error ?? body.errors);
  const own = Object.fromEntries(
    Object.entries(Problem.shape).flatMap(([key, schema]) => {
      const parsed = schema.safeParse(body[key]);
      return parsed.success && parsed.data !== undefined ? [[key, parsed.data]] : [];
    }),
  ) as Problem;
  const detail = [own.detail, body.message, body.error_description, body.msg, nested.detail].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return { ...nested, ...own, ...(typeof detail === 'string' ? { detail } : {}) };
}

/** The visible text of a plain text or a web page, on one line. */
function textOf(body: string): string {
  const isPage = /^\s*<(!doctype|html|\?xml|head|body)/i.test(body);
  const text = isPage
    ? (/<title[^>]*>([^<]+)/i.exec(body)?.[1] ?? body.replace(/<(script|style).*?<\/\1>|<[^>]*>/gis, ' '))
    : body;
  return text.replace(/\s+/g, ' ').trim();
}
