import { expect, it } from 'vitest';
import { PARTS } from '../config/parts.ts';
import { Env } from '../config/settings.ts';
import { VERBS } from '../config/verbs.ts';
import { helpText } from './help.ts';

it('describes every part and every command', () => {
  for (const word of [...PARTS, ...VERBS]) {
    expect(helpText()).toMatch(new RegExp(`^npm start -- ${word} .*\\w`, 'm'));
  }
});

it('describes every setting, with its default', () => {
  for (const name of Object.keys(Env.shape)) {
    expect(helpText()).toMatch(new RegExp(`^  ${name} +[a-z].{10}`, 'm'));
  }
  expect(helpText()).toMatch(/^ {2}PORT .* \(3000\)$/m);
  expect(helpText()).toMatch(/^ {2}DATA_DIR .* \(\.\/data\)$/m);
  expect(helpText()).not.toMatch(/default (\S+) \(\1\)|\(\)/);
});
