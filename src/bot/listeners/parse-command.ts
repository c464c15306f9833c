import leven from 'leven';

/** The words after `/incidents`. */
export type IncidentsCommand =
  | { readonly word: 'open' }
  | { readonly word: 'help' }
  | { readonly word: 'health' }
  /** `reference` is null if it is missing. */
  | { readonly word: 'show'; readonly reference: string | null }
  | { readonly word: 'ack'; readonly reference: string | null }
  /** `note` is exactly as typed, without the white space after the reference; null: no note. */
  | { readonly word: 'resolve'; readonly reference: string | null; readonly note: string | null }
  | { readonly word: 'unknown'; readonly typed: string; readonly suggestion: string | null };

const WORDS: Readonly<Record<string, 'open' | 'help' | 'health' | 'show' | 'ack' | 'resolve'>> = {
  open: 'open',
  list: 'open',
  show: 'show',
  ack: 'ack',
  acknowledge: 'ack',
  resolve: 'resolve',
  close: 'resolve',
  health: 'health',
  help: 'help',
};

const LARGEST_TYPO = 2;

export function parseIncidentsCommand(text: string): IncidentsCommand {
  const [, typed = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const word =
    typed === '' ? 'open' : Object.hasOwn(WORDS, typed.toLowerCase()) ? WORDS[typed.toLowerCase()] : undefined;
  if (word === undefined) {
    return { word: 'unknown', typed, suggestion: closest(typed.slice(0, 20).toLowerCase()) };
  }
  if (word === 'open' || word === 'help' || word === 'health') {
    return { word };
  }
  const [, reference = '', note = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  const named = reference === '' ? null : reference;
  return word === 'resolve'
    ? { word, reference: named, note: note.trim() === '' ? null : note }
    : { word, reference: named };
}

function closest(typed: string): string | null {
  const ranked = Object.keys(WORDS)
    .map((word) => ({ word, distance: leven(typed, word) }))
    .sort((one, other) => one.distance - other.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.min(LARGEST_TYPO, best.word.length - 2) ? best.word : null;
}
