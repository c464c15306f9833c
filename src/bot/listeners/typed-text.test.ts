import { describe, expect, it } from 'vitest';
import { WORDS } from '../features.ts';
import { typedText } from './typed-text.ts';

describe('the text of a command', () => {
  it.each([
    ['resolve #1 a &lt;b&gt; &amp;amp; c', 'resolve #1 a <b> &amp; c'],
    ['resolve #1 by <@U1|ben> for <!subteam^S1|@sre>, told <!here>', 'resolve #1 by @ben for @sre, told @here'],
    ['resolve #1 see <#C1|general> and <#C2|>', 'resolve #1 see #general and #C2'],
    [
      'resolve #1 <https://example.com/a?b&amp;c> <http://example.com|example.com>',
      'resolve #1 https://example.com/a?b&c example.com',
    ],
    ['open service:<http://shop.example|shop.example>', 'open service:shop.example'],
    ['', ''],
  ])('%j was typed as %j', (escaped, typed) => {
    expect(typedText(escaped, WORDS)).toBe(typed);
  });

  it('names people and groups by their ids where the command assigns to them', () => {
    expect(typedText('assign #1 <@U1|ben> <!subteam^S1|@sre> @cleo', WORDS)).toBe(
      'assign #1 <@U1> <!subteam^S1> @cleo',
    );
  });
});
