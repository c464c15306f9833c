import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Tells whether Twilio sent a request (twilio.com/docs/usage/security, "Validating requests"): the address as Twilio knows
 * it, followed by the names and values of the form in the order of the names, is signed with the token of the account.
 */
export function isSignedBy(authToken: string) {
  return (url: string, form: Readonly<Record<string, string>>, signature: string): boolean => {
    const names = Object.keys(form).toSorted((one, other) => (one < other ? -1 : 1));
    const text = url + names.map((name) => name + form[name]).join('');
    const expected = createHmac('sha1', authToken).update(text).digest();
    const given = Buffer.from(signature, 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}
