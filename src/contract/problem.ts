import { z } from 'zod';

/** RFC 9457 `application/problem+json` with a stable `code`. Programs should rely on `code` only. */
export const Problem = z.object({
  type: z.string().optional(),
  title: z.string().optional(),
  status: z.int().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
  request_id: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string().optional(), detail: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
