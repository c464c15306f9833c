/** Who changes a key without having signed in with one. */
export const KEY_ACTORS = {
  commandLine: 'the command line',
  start: 'the start of the service',
} as const;

/** One line of the history of the API keys. */
export interface KeyEvent {
  readonly at: Date;
  /** `bootstrapped`: taken from `BOOTSTRAP_API_KEY`. */
  readonly type: 'created' | 'bootstrapped' | 'rotated' | 'revoked';
  readonly keyId: string;
  /** null: the key is no more. */
  readonly keyName: string | null;
  /** The name of the key that whoever did it had signed in with, or one of `KEY_ACTORS`. */
  readonly by: string;
  /** Of a rotation: the key that took its place. */
  readonly successorId: string | null;
}

export function describeKeyEvent({ type, successorId }: KeyEvent): string {
  switch (type) {
    case 'created':
      return 'created';
    case 'bootstrapped':
      return 'taken from BOOTSTRAP_API_KEY';
    case 'rotated':
      return `replaced by ${successorId ?? 'another'}`;
    case 'revoked':
      return 'revoked';
  }
}
