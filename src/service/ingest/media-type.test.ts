import { expect, it } from 'vitest';
import { isUtf8Text, mediaTypeOf } from './media-type.ts';

const of = (contentType: string) => new Headers({ 'content-type': contentType });

it.each([
  ['Application/JSON ; charset=utf-8', 'application/json'],
  ['application/cloudevents+json', 'application/cloudevents+json'],
  ['application/json;', 'application/json'],
  ['nonsense', ''],
])('reads the type of %s', (contentType, expected) => {
  expect(mediaTypeOf(of(contentType))).toBe(expected);
});

it('reads no type where there is none', () => {
  expect(mediaTypeOf(new Headers())).toBe('');
});

it.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['application/json; charset="UTF-8"', true],
  ['application/json;charset=utf8', true],
  ['text/plain; charset=us-ascii', true],
  ['application/json; charset=iso-8859-1', false],
  ['application/json; charset=utf-16', false],
])('finds whether %s is UTF-8: %s', (contentType, expected) => {
  expect(isUtf8Text(of(contentType))).toBe(expected);
});
