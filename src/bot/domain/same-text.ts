/** Whether two texts say the same, however they write spaces and accents: services tidy up what they are sent. */
export function isSameText(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
