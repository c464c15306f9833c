import { describe, expect, it } from 'vitest';
import { parseIncidentsCommand } from './parse-command.ts';

describe('what follows /incidents', () => {
  it.each([
    ['', { word: 'open' }],
    [' open ', { word: 'open' }],
    ['LIST', { word: 'open' }],
    ['help', { word: 'help' }],
    ['show #142', { word: 'show', reference: '#142' }],
    ['ack', { word: 'ack', reference: null }],
    ['acknowledge inc_1', { word: 'ack', reference: 'inc_1' }],
    ['resolve 7', { word: 'resolve', reference: '7', note: null }],
    ['resolve 7   ', { word: 'resolve', reference: '7', note: null }],
    ['resolve #7  rolled  back\n& "done"  ', { word: 'resolve', reference: '#7', note: 'rolled  back\n& "done"  ' }],
    ['opne', { word: 'unknown', typed: 'opne', suggestion: 'open' }],
    ['rezolve 7', { word: 'unknown', typed: 'rezolve', suggestion: 'resolve' }],
    ['constructor', { word: 'unknown', typed: 'constructor', suggestion: null }],
    ['#142', { word: 'unknown', typed: '#142', suggestion: null }],
  ])('%j is understood', (text, command) => {
    expect(parseIncidentsCommand(text)).toEqual(command);
  });
});
