import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf, textOf, toGsm } from './text.ts';

const told = (title: string) => textOf({ title, code: '7K3D', lines: [] });

describe('the text of an SMS', () => {
  it('is one SMS of GSM-7 that has the code, whatever the title is', () => {
    const title = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(title, (text) => {
        const sms = told(text);
        expect(lengthOf(sms)).toBeLessThanOrEqual(160);
        expect(toGsm(sms)).toBe(sms);
        expect(sms).toMatch(/^Tocsin: [\s\S]* Reply 7K3D to take it\.$/);
      }),
    );
  });

  it.each([
    'see https://evil.example/login now',
    'www.evil.example',
    'evil.com/pay',
    'evil。com',
    'evil．com',
    'pay@evil.com',
    '10.0.0.1 is down',
    'at 0.5evil.com',
  ])('has nothing that a phone takes for a link: %s', (title) => {
    expect(told(title).slice(0, -1)).not.toMatch(/\S\.\S|:\/\/|[．。]/);
  });

  it('keeps decimal numbers and the ends of sentences', () => {
    expect(told('#142 critical: checkout loses 40.5 %. Since 03:12')).toBe(
      'Tocsin: #142 critical: checkout loses 40.5 %. Since 03:12 Reply 7K3D to take it.',
    );
  });

  it('replaces what the alphabet lacks', () => {
    expect(toGsm('Żółw – naïve “checkout” größer…')).toBe('Zo?w ? naive ?checkout? größer...');
  });
});
