import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { signWebhook } from './signature.ts';

const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);

it("creates signatures that the standard's library accepts, for any text", () => {
  fc.assert(
    fc.property(secrets, fc.string({ minLength: 1 }), fc.string({ unit: 'binary' }), (secret, id, text) => {
      const body = JSON.stringify({ text });

      const headers = signWebhook([secret], id, new Date(), body);

      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }),
  );
});

it('signs with each secret, so that receivers may know any of them', () => {
  fc.assert(
    fc.property(fc.array(secrets, { minLength: 2, maxLength: 3 }), (all) => {
      const headers = signWebhook(all, 'evt_1', new Date(), '{}');

      expect(all.map((secret) => new Webhook(secret).verify('{}', headers))).toEqual(all.map(() => ({})));
    }),
  );
});

it('creates signatures with another secret that the library refuses', () => {
  const [ours, theirs] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'];

  const headers = signWebhook([ours], 'evt_1', new Date(), '{}');

  expect(() => new Webhook(theirs).verify('{}', headers)).toThrow('No matching signature found');
});
