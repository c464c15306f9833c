import type { Attempt } from '../messages/find-attempt.ts';

/** The columns of an attempt, in each table of what is posted. */
export interface AttemptRow {
  readonly attempt_id: string | null;
  readonly attempt_at: Date | null;
  readonly last_attempt_at: Date | null;
}

export const NO_ATTEMPT = { attempt_id: null, attempt_at: null, last_attempt_at: null } as const satisfies AttemptRow;

export function toAttempt({ attempt_id: id, attempt_at: at, last_attempt_at: lastAt }: AttemptRow): Attempt | null {
  return id === null || at === null || lastAt === null ? null : { id, at, lastAt };
}

export function toAttemptRow({ id, at, lastAt }: Attempt): AttemptRow {
  return { attempt_id: id, attempt_at: at, last_attempt_at: lastAt };
}
