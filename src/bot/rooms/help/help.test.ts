import { describe, expect, it } from 'vitest';
import { messageFaults } from '../../../../test/support/view-faults.ts';
import { WORDS } from '../../features.ts';
import { helpMessage, unknownWordMessage } from './help.ts';

describe('help', () => {
  it('fits one section and escapes the word it does not know', () => {
    expect(messageFaults(helpMessage(WORDS))).toEqual([]);
    expect(unknownWordMessage({ typed: '<!here>', suggestion: null }, WORDS).text).toContain('“&lt;!here&gt;”');
  });

  it('says how a note is added, which no command does', () => {
    expect(unknownWordMessage({ typed: 'note', suggestion: null }, WORDS).text).toContain(
      '“Add to incident as note” in the menu',
    );
  });
});
