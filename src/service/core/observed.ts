/** An edge of the graph of calls. Its counts fade, see `Edge`. */
export interface ObservedCall {
  readonly caller: string;
  readonly callee: string;
  readonly calls: number;
  readonly failed: number;
  /** In milliseconds since 1970. */
  readonly seenAt: number;
}

/** A deployment of a service. */
export interface ObservedChange {
  readonly service: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The version, or another word for what changed; empty: not known. */
  readonly subject: string;
}

/** What people may see of a snapshot, in any order. */
export interface Observed {
  readonly calls: readonly ObservedCall[];
  /** The last ones of each service. */
  readonly changes: readonly ObservedChange[];
}
