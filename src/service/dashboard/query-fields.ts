import type { z } from 'zod';
import { StorableText } from '../http/storable-text.ts';

/** Names of services that a field offers. */
export const SERVICES_TO_CHOOSE = 200;

/** Part of an address. */
export const QueryText = StorableText.trim().min(1).max(200);

/** An absent or empty field does not filter, and neither does one that makes no sense. */
export const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The address of a page with the parameters that have a value. */
export function pageAddress(path: string, parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
