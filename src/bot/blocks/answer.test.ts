import { describe, expect, it } from 'vitest';
import { answer, answersInOne } from './answer.ts';

describe('several answers in one message', () => {
  it('are one message that says all of them', () => {
    const { message, included } = answersInOne([answer('You closed `a`.'), answer('`b` was refused.', 'my words')]);

    expect(included).toBe(2);
    expect(message.text).toMatch(/^You closed `a`\.\n`b` was refused\.\n.*\nmy words$/);
    expect(message.blocks).toHaveLength(4);
  });

  it('hand a long note back whole', () => {
    const note = `${'x'.repeat(2_999)}🚒${'y'.repeat(1_500)} the end`;

    const { text, blocks } = answer('Refused.', note);

    const given = blocks.slice(2).map((block) => (block.type === 'section' ? (block.text?.text ?? '') : ''));
    expect(given.map(({ length }) => length)).toEqual([2_999, 1_510]);
    expect(given.join('')).toBe(note);
    expect(text).toContain('the end');
  });

  it('are as many as one message holds, and at least one', () => {
    const long = answer('Refused.', 'n'.repeat(3_000));
    const tooLong = { text: 't'.repeat(20_000), blocks: [] };

    expect(answersInOne([long, long, long, long]).included).toBe(3);
    expect(answersInOne([tooLong, long]).included).toBe(1);
  });
});
