import { z } from 'zod';

/** One check of `/readyz`. */
export const ReadinessCheck = z.object({
  name: z.string(),
  ready: z.boolean(),
  /** What is wrong and what to do, in one sentence; when ready, what people should know. */
  detail: z.string().optional(),
});
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

/** The response of `/readyz`: 200 when every check is ready, else 503. */
export const Readiness = z.object({ ready: z.boolean(), checks: z.array(ReadinessCheck) });
export type Readiness = z.infer<typeof Readiness>;
