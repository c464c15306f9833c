/** Actors that change keys without signing in with one. */
export const KEY_ACTORS = {
  commandLine: 'the command line',
  start: 'the start of the service',
} as const;

/** An entry in the history of the API keys. */
export interface KeyEvent {
  readonly at: Date;
  /** `bootstrapped`: read from `BOOTSTRAP_API_KEY`. */
  readonly type: 'created' | 'bootstrapped' | 'rotated' | 'revoked';
  readonly keyId: string;
  /** null: the key was deleted. */
  readonly keyName: string | null;
  /** The name of the key that the actor signed in with, or one of `KEY_ACTORS`. */
  readonly by: string;
  /** The new key of a rotation. */
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
