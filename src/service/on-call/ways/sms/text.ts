import type { WakeMessage } from '../../waking/message.ts';

/** One SMS of the alphabet GSM-7 (3GPP TS 23.038, 6.2.1). A longer one costs more, and parts of it may be lost. */
const MOST_SIGNS = 160;

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes the place of two. */
const EXTENDED = '^{}\\[~]|€';

const [BASIC_SIGNS, EXTENDED_SIGNS] = [new Set(BASIC), new Set(EXTENDED)];

/** The text of an SMS. It has no link, and nothing of a sender that a phone would take for one. */
export function textOf({ title, code, lines }: Pick<WakeMessage, 'title' | 'code' | 'lines'>): string {
  const end = code === null ? `. ${lines[0] ?? ''}` : ` Reply ${code} to take it.`;
  const before = 'Tocsin: ';
  const room = MOST_SIGNS - lengthOf(before) - lengthOf(toGsm(end));
  return before + cut(toGsm(withoutLinks(title)), room) + toGsm(end);
}

/** Dots between signs, but for those of a decimal number, and what follows a protocol make a link. */
function withoutLinks(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/:\/\/+/g, ' ')
    .replaceAll(/[.。](?=\S)/g, (dot, at: number, whole: string) => (isDecimal(whole, at) ? dot : ' '))
    .replaceAll(/ {2,}/g, ' ');
}

function isDecimal(text: string, at: number): boolean {
  return /(^|[^\d.])\d{1,6}$/.test(text.slice(0, at)) && /^\.\d{1,3}(?![\d.\p{L}/:@-])/u.test(text.slice(at));
}

/** What the alphabet lacks loses its accents, or is a question mark. */
export function toGsm(text: string): string {
  return Array.from(text.normalize('NFC').replaceAll('…', '...'))
    .map((sign) => (isGsm(sign) ? sign : (Array.from(sign.normalize('NFKD')).find(isGsm) ?? '?')))
    .join('');
}

function isGsm(sign: string): boolean {
  return BASIC_SIGNS.has(sign) || EXTENDED_SIGNS.has(sign);
}

export function lengthOf(text: string): number {
  return Array.from(text).reduce((sum, sign) => sum + (EXTENDED_SIGNS.has(sign) ? 2 : 1), 0);
}

function cut(text: string, room: number): string {
  if (lengthOf(text) <= room) {
    return text;
  }
  const signs = Array.from(text);
  while (lengthOf(signs.join('')) > room - 3) {
    signs.pop();
  }
  return `${signs.join('').trimEnd()}...`;
}
