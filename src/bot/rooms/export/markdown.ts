/** Control characters and bidirectional marks, with which a name could imitate another line. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Untrusted text in one line of a Markdown document, which shows it as it was written. */
export function markdown(text: string): string {
  return text
    .toWellFormed()
    .replace(UNPRINTABLE, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/** Untrusted text as a quotation with its line breaks. */
export function quotation(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => `> ${markdown(line)}`.trimEnd())
    .join('\n');
}
