/** A post that may have reached Slack without a response. Times are on Slack's clock. */
export interface Attempt {
  /** Sent in the metadata of the message, and the same for each retry. */
  readonly id: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
}
