import { expect, it } from 'vitest';
import { maskPayload } from './mask-payload.ts';

const mask = (text: string, isCut = false) => maskPayload(new TextEncoder().encode(text), isCut);

it.each([
  ['{"service":"payments","password":"hunter2","summary":1}'],
  ['{"Password" : "hunter2 with \\" a quote"}'],
  ['{"api_key":"hunter2'],
  ['{"auth": {"user": "ana", "x": "hunter2"}}'],
  ['{"tokens": ["a", "hunter2"]}'],
  ['{"body":"{\\"client_secret\\":\\"hunter2\\"}"}'],
  ['{"key":"http.request.header.authorization","value":{"stringValue":"hunter2"}}'],
  ['{"name": "Cookie", "value": "hunter2"}'],
  ['{"header":"Bearer hunter2"}'],
  ['{"url":"https://ana:hunter2@example.com/a?access_token=hunter2&b=1"}'],
  ['routing_key=hunter2&x=1'],
  ['{"routing_key":"hunter2"}'],
])('hides the secret of %s', (text) => {
  expect(mask(text)).not.toContain('hunter2');
  expect(mask(text)).toContain('***');
});

it('hides keys that have no name', () => {
  const key = 'tcn_in_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6';

  expect(mask(`{"text":"with ${key} it failed"}`)).toBe('{"text":"with *** it failed"}');
  expect(mask(`{"text":"${key.slice(0, 15)}`, true)).toBe('{"text":"…');
});

it('leaves the rest as it was sent', () => {
  const text = '{"service":"payments","summary":"Card was declined","labels":{"pod":"payments-7f9"}}';

  expect(mask(text)).toBe(text);
});

it('shows no binary payload', () => {
  expect(maskPayload(new Uint8Array([10, 0, 1, 2, 200, 255, 3, 4]), false)).toBeNull();
});
