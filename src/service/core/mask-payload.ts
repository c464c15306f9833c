const MASK = '***';

const SECRET_NAME =
  '[\\w.$-]*(?:secret|token|passw|pwd|auth|api[-_.]?key|access[-_.]?key|private[-_.]?key|routing[-_.]?key|cookie|credential|session|signature)[\\w.$-]*';

/** A string, which may be cut or escaped inside another string; all that follows a bracket; or a word. */
const VALUE = `(?:\\\\+"[^"]*"?|"(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[{[][\\s\\S]*|[^\\s"',;&}\\]]+)`;

/** `"password": "x"`, `password=x`, `Password: x` */
const MEMBER = new RegExp(`(${SECRET_NAME}\\\\*["']?\\s*[:=]\\s*)${VALUE}`, 'gi');

/** An attribute of OpenTelemetry or a header in a list: `"key": "password", "value": …`. */
const ATTRIBUTE = new RegExp(
  `("(?:key|name)"\\s*:\\s*"${SECRET_NAME}"\\s*,\\s*"value"\\s*:\\s*)(?:\\{[^}]*\\}?|${VALUE})`,
  'gi',
);
const CREDENTIALS = /\b(bearer|basic)\s+[^\s"',\\]+/gi;
const USER_OF_ADDRESS = /(:\/\/)[^\s/@"]+@/g;

/** A word of letters and digits of this length is more likely a key than a name. */
const OPAQUE = /(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])[\w+=-]{24,}/gi;
const WORD_AT_END = /[\w+=.:/@-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/g;
/** More than this share of characters that are not text make a body binary. */
const MOST_CONTROL = 0.05;

/**
 * The beginning of a payload without what may be secret: values of members with such a name, credentials, and long words
 * of letters and digits. Rather too much is masked than too little.
 *
 * @param isCut the payload goes on
 * @returns null: it is not text
 */
export function maskPayload(bytes: Uint8Array, isCut: boolean): string | null {
  const text = new TextDecoder().decode(bytes);
  if ((text.match(CONTROL)?.length ?? 0) > text.length * MOST_CONTROL) {
    return null;
  }
  const whole = isCut ? text.replace(WORD_AT_END, '') : text; // a part of a key may not look like one
  const masked = whole
    .replaceAll(CONTROL, '\ufffd')
    .replaceAll(ATTRIBUTE, `$1"${MASK}"`)
    .replaceAll(CREDENTIALS, `$1 ${MASK}`)
    .replaceAll(MEMBER, `$1"${MASK}"`)
    .replaceAll(USER_OF_ADDRESS, `$1${MASK}@`)
    .replaceAll(OPAQUE, MASK);
  return isCut ? `${masked}…` : masked;
}
