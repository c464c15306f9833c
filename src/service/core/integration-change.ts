/** What somebody does with an integration itself. */
export type IntegrationChangeType =
  | 'created'
  | 'mapping-changed'
  | 'system-changed'
  | 'secret-rotated'
  | 'enabled'
  | 'deleted';

/** An entry in the history of the integrations. */
export interface IntegrationChange {
  readonly at: Date;
  readonly type: IntegrationChangeType | 'key-rotated';
  readonly integrationId: string;
  /** Its name, or its type if it has none. */
  readonly name: string;
  /** The person or the name of the key that did it, or one of `KEY_ACTORS`. */
  readonly by: string;
  readonly isDeleted: boolean;
}
