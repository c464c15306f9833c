import { expect, it } from 'vitest';
import { parseLink } from './parse-link.ts';

it.each([
  ['https://tocsin.example.com/dashboard/incidents/142', { kind: 'incident', reference: '142' }],
  ['https://tocsin.example.com/dashboard/incidents/inc_1/?tab=signals#x', { kind: 'incident', reference: 'inc_1' }],
  ['https://tocsin.example.com/dashboard/signals/sig%2F1', { kind: 'signal', reference: 'sig/1' }],
  ['https://tocsin.example.com/dashboard/incidents', null],
  ['https://tocsin.example.com/dashboard/incidents/1/more', null],
  ['https://tocsin.example.com/dashboard/incidents/%zz', null],
  ['https://tocsin.example.com/dashboard/settings', null],
  ['http://tocsin.example.com/dashboard/incidents/142', null],
  ['https://elsewhere.example.com/dashboard/incidents/142', null],
  ['not a link', null],
])('%s names %j', (url, target) => {
  expect(parseLink(url, 'https://tocsin.example.com')).toEqual(target);
});

it('follows the path of the dashboard', () => {
  const url = 'https://example.com/tocsin/dashboard/incidents/7';

  expect(parseLink(url, 'https://example.com/tocsin')).toEqual({ kind: 'incident', reference: '7' });
  expect(parseLink('https://example.com/dashboard/incidents/7', 'https://example.com/tocsin')).toBeNull();
});
