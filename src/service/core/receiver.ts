/** Who events are sent to, with the secrets that this takes. */
export type Receiver =
  | {
      readonly type: 'webhook';
      readonly url: string;
      /** The current secret first, then the previous one while it is valid. */
      readonly secrets: readonly string[];
    }
  | { readonly type: 'pagerduty'; readonly url: string; readonly routingKey: string };
