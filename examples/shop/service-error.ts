/** A failure with a defined response. Any other error of a service becomes a 500. */
export class ServiceError extends Error {
  /** HTTP status of the response. */
  readonly status: number;

  /** @param type OpenTelemetry's `error.type`: short, and equal for all failures of the same kind */
  constructor(type: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
    this.status = status;
  }
}
