import { maskPayload } from './mask-payload.ts';

const SECRET_NAME =
  /secret|token|passw|pwd|auth|api[-_.]?key|access[-_.]?key|private[-_.]?key|routing[-_.]?key|cookie|credential|session|signature/i;
const MASK = '***';
/** Deeper values are left out. */
const MAX_DEPTH = 32;

/** JSON without what may be secret, like `maskPayload`, that is still JSON. */
export function maskJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return maskPayload(new TextEncoder().encode(value), false) ?? MASK;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth === MAX_DEPTH) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => maskJson(item, depth + 1));
  }
  const entries = Object.entries(value).map(([name, held]): [string, unknown] => [
    name,
    SECRET_NAME.test(name) ? MASK : maskJson(held, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
