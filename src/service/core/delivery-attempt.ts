/** One attempt to deliver an event to a webhook. */
export interface DeliveryAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Position of the event; null: it was a test, which is in no event log. */
  readonly sequence: bigint | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  /** null: no response. */
  readonly httpStatus: number | null;
  /** null: it was delivered. */
  readonly error: string | null;
  /** The beginning of the response, secrets masked; null: no response. */
  readonly response: string | null;
  /** null: no other attempt was planned. */
  readonly nextAttemptAt: Date | null;
}
