/** Compares two texts, ignoring white space and Unicode normalization, because services may change both. */
export function isSameText(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
