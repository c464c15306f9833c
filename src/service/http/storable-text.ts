import { z } from 'zod';

/** Text that PostgreSQL can store. */
export const StorableText = z
  .string()
  .refine((text) => !text.includes('\0'), { error: 'must not contain the NUL character', abort: true });

/** A path parameter. No id contains U+FFFD, so the lookup of a path with NUL finds nothing and answers 404. */
export function readPathParameter(text: string | undefined): string {
  return (text ?? '').replaceAll('\0', '\uFFFD');
}

/** Whether all percent-escapes are UTF-8. `URLSearchParams` replaces other bytes silently. */
export function hasUtf8Escapes(encoded: string): boolean {
  return (encoded.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every(isUtf8);
}

function isUtf8(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
