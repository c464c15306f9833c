/** What the delivery log keeps of a response, in characters. */
export const EXCERPT_LENGTH = 1_024;

/** More is read than kept, because masking shortens the text. */
export const EXCERPT_SOURCE_BYTES = 4_096;

const MASK = '***';

/** A signature of Standard Webhooks: a receiver that echoes the request sends it back. */
const SIGNATURE = /v1,[A-Za-z0-9+/]{43}=/g;

/** The shortest beginning of a secret that is masked where the source ends within the secret. */
const MIN_BEGINNING = 4;

/**
 * The beginning of a response as readers of the log may see it.
 *
 * @param source the first `EXCERPT_SOURCE_BYTES` of the response
 * @param secrets masked wherever they occur
 */
export function writeExcerpt(source: Uint8Array, secrets: readonly string[]): string {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  let text = new TextDecoder().decode(source).replaceAll('\0', '\ufffd').replaceAll(SIGNATURE, `v1,${MASK}`);
  for (const secret of longestFirst) {
    text = text.replaceAll(secret, MASK);
  }
  return withoutBeginningAtEnd(text, longestFirst).slice(0, EXCERPT_LENGTH);
}

function withoutBeginningAtEnd(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= MIN_BEGINNING; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) {
        return text.slice(0, -length) + MASK;
      }
    }
  }
  return text;
}
