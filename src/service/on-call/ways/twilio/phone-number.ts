import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { z } from 'zod';

/** E.164, such as `+4930123456`. */
export interface PhoneNumber {
  readonly number: string;
}

/** The country of a number, such as `DE`; null: it is not a number that somebody can have. */
export function countryOf(number: string): CountryCode | null {
  const parsed = parsePhoneNumberFromString(number);
  return parsed?.isValid() === true ? (parsed.country ?? null) : null;
}

export function isCountry(text: string): text is CountryCode {
  return isSupportedCountry(text);
}

/** @param countries those whose numbers may be called */
export function phoneAddress(countries: readonly string[]): z.ZodType<PhoneNumber> {
  const given = z.string().transform((text, context): PhoneNumber => {
    const parsed = parsePhoneNumberFromString(text);
    if (parsed?.isValid() !== true) {
      context.addIssue('this is not a telephone number with its country, such as +49 30 123456');
      return z.NEVER;
    }
    if (!countries.includes(parsed.country ?? '')) {
      context.addIssue('numbers of this country are not allowed: an operator adds it to TWILIO_COUNTRIES');
      return z.NEVER;
    }
    return { number: parsed.number };
  });
  // A stored number of a country that is not allowed any more is refused, too.
  return z.union([z.object({ number: given }).transform(({ number }) => number), given]);
}

/** Its country and last two digits: `+49…56`. */
export function maskNumber({ number }: PhoneNumber): string {
  const code = parsePhoneNumberFromString(number)?.countryCallingCode ?? '';
  return `+${code}…${number.slice(-2)}`;
}
