import { expect, it } from 'vitest';
import { isSignedBy } from './signature.ts';

const URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const FORM = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
};

it('knows the signature of the example in the documentation of Twilio, and no other', () => {
  const isSigned = isSignedBy('12345');

  expect(isSigned(URL, FORM, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')).toBe(true);
  expect(isSigned(URL, { ...FORM, Digits: '1' }, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')).toBe(false);
  expect(isSigned(`${URL}&more`, FORM, 'RSOYDt4T1cUTdK1PDd93/VVr8B8=')).toBe(false);
  expect(isSigned(URL, FORM, '')).toBe(false);
});
