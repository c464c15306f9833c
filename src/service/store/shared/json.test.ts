import { describe, expect, it } from 'vitest';
import { toStorableJson } from './json.ts';

describe('toStorableJson', () => {
  it('replaces what PostgreSQL cannot store, also in keys and repeatedly', () => {
    expect(JSON.parse(toStorableJson({ 'a\0': '\0\0x\ud800' }))).toEqual({ 'a\ufffd': '\ufffd\ufffdx\ufffd' });
  });

  it('keeps all other text, also text that looks like an escape', () => {
    const text = ['\\u0000', '\\\\u0000', '\\', '\n', '😀', 'ä', '\\ud800'];

    expect(JSON.parse(toStorableJson(text))).toEqual(text);
  });
});
