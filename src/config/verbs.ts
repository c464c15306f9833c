/** Words after `npm start --` that run a command of `cli/` instead of a part. */
export const VERBS = ['keys', 'sign-in', 'doctor', 'move-database', 'slack-app', 'erase-person'] as const;

export type Verb = (typeof VERBS)[number];

export function isVerb(word: string | undefined): word is Verb {
  return VERBS.some((verb) => verb === word);
}
