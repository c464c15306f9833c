/** A failure that a service of the shop knows how to answer; anything else it throws is a plain 500. */
export class ServiceError extends Error {
  /** The HTTP status to answer with. */
  readonly status: number;

  /** @param type OpenTelemetry's `error.type`: short, the same for every failure of the kind */
  constructor(type: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
    this.status = status;
  }
}
