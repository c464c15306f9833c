import { describe, expect, it } from 'vitest';
import { AT, decodePush, linesOf, NOW } from '../../../../../test/support/push-decode.ts';

describe('syslog', () => {
  it.each([
    ['<131>1 2026-01-31T08:00:00Z host-1 shop 12 ID47 - no card', 'shop', 'error', 'no card'],
    ['<130>1 2026-01-31T08:00:00Z host-1 - - - [a@1 k="x\\"y]"][b] \ufeffno card', 'host-1', 'critical', 'no card'],
    ['<132>1 2026-01-31T08:00:00Z host-1 shop - - [a@1 service="pay"] slow', 'pay', 'warning', 'slow'],
    ['<11>Jan 31 08:00:00 host-1 shop[12]: no card', 'shop', 'error', 'no card'],
    ['<11>Jan 31 08:00:00 host-1 shop no card: 4', 'shop', 'error', 'shop no card: 4'],
    ['<11>Jan 31 08:00:00 router-1 %LINK-3-UPDOWN: port 4', 'router-1', 'error', '%LINK-3-UPDOWN: port 4'],
    ['<11>Jan 31 08:00:00 router-1 restarted', 'router-1', 'error', 'restarted'],
    ['<11>Jan 31 08:00:00 shop: no card', 'shop', 'error', 'no card'],
    ['<11>2026-01-31T08:00:00.000Z host-1 shop: no card', 'shop', 'error', 'no card'],
    ['<11>Jan 31 08:00:00 host-1 shop: {"level":"error","msg":"no card","service":"x"}', 'shop', 'error', 'no card'],
  ])('is read: %s', (line, service, severity, text) => {
    expect(linesOf(decodePush('syslog', line))).toEqual([[service, severity, text, AT]]);
  });

  it('is read as of now with a far time of the old form, which has no zone', () => {
    expect(linesOf(decodePush('syslog', '<11>Jan 31 11:00:00 host-1 shop: no card'))).toEqual([
      ['shop', 'error', 'no card', NOW.toISOString()],
    ]);
  });

  it('is read with what is no syslog', () => {
    expect(linesOf(decodePush('syslog', '<3>ERROR no card'))).toMatchObject([
      ['unknown', 'error', 'ERROR no card', expect.anything()],
    ]);
  });

  it('is read by lengths, which the lines may be longer than characters', () => {
    const one = '<11>1 - h shop - - - two\nlines with ü';
    const body = [one, '<11>1 - h pay - - - no'].map((each) => `${Buffer.byteLength(each)} ${each}`).join('');

    expect(decodePush('syslog', body).items.map((each) => each.body)).toEqual(['two\nlines with ü', 'no']);
  });
});
