import type { z } from 'zod';

/** An `ingest` key may only send signals. A read-write key may send them too. */
export const SCOPES = ['read-only', 'read-write', 'ingest'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address, which ends in `/v1`; `{id}` and a second one, such as `{delivery_id}`, are path parameters. */
  readonly path: string;
  /** The lowest scope that may call it. */
  readonly scope: Exclude<Scope, 'ingest'>;
  readonly summary: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType | null;
  /** The status of success. */
  readonly status: 200 | 201 | 204;
  /** null: the response has no body. */
  readonly response: z.ZodType | null;
  /** The response has an `ETag`, and the request may have this header (RFC 9110, 13.1). */
  readonly condition?: 'if-none-match' | 'if-match';
}
