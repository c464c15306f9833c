import { z } from 'zod';
import type { Provider } from '../provider.ts';
import { maskNumber, type PhoneNumber, phoneAddress } from '../twilio/phone-number.ts';
import { createTwilioApi, TwilioError, type TwilioSettings } from '../twilio/twilio-api.ts';
import { type Heard, type Sent, type Way, WayError } from '../way.ts';
import { callTwiml } from './twiml.ts';

const Call = z.object({ sid: z.string(), status: z.string().nullish(), date_created: z.string().nullish() });
const Calls = z.object({ calls: z.array(Call) });

/** Clocks of Twilio and of this installation may differ by as much. */
const SLACK_MS = 10_000;
/** Shorter than voicemail waits, usually. */
const RING_SECONDS = '25';
/** The call has ended already (twilio.com/docs/api/errors/21220). */
const NOT_IN_PROGRESS = 21220;

/** How a call ended (twilio.com/docs/voice/api/call-resource#call-status-values). */
const ENDS: Readonly<Record<string, string>> = {
  completed: 'nobody pressed a key',
  busy: 'the line was busy',
  'no-answer': 'nobody picked up',
  failed: 'the call failed',
  canceled: 'the call was cancelled',
};

/**
 * Only a key shows that a person heard it: voicemail picks up, too. Twilio tells us the key by a request to our address, and
 * lists it no sooner than 15 minutes after the call (twilio.com/docs/voice/api/call-event-resource). How a call ended is
 * asked for.
 *
 * @param settings null: no account is set. @param isPublic whether Twilio reaches our address
 */
export function createCallWay(
  settings: TwilioSettings | null,
  provider: Provider,
  isPublic: boolean,
): Way<PhoneNumber> {
  const api = settings === null ? null : createTwilioApi(settings, provider);
  const from = settings?.from ?? '';

  /** Calls have no text, so the newest one to the number since then is taken for it. */
  async function find({ address: { number }, at }: Pick<Sent<PhoneNumber>, 'address' | 'at'>): Promise<string | null> {
    const listed = await api?.get('/Calls.json', Calls, { To: number, From: from, PageSize: '20' });
    const since = at.getTime() - SLACK_MS;
    return listed?.calls.find(({ date_created: created }) => Date.parse(created ?? '') >= since)?.sid ?? null;
  }

  return {
    address: phoneAddress(settings?.countries ?? []),
    describe: ({ number }) => number,
    mask: maskNumber,
    provedBy: 'code',
    missing: missingOf(settings, isPublic),
    lostAnswer: { by: 'finding', find },

    async call({ number }, message) {
      const form = { To: number, From: from, Twiml: callTwiml(message), Timeout: RING_SECONDS };
      return (await api?.post('/Calls.json', Call, form))?.sid ?? null;
    },

    async takeBack(sent) {
      const sid = sent.reference ?? (await find(sent));
      if (sid === null) {
        return;
      }
      await api?.post(`/Calls/${sid}.json`, Call, { Status: 'completed' }).catch((error: unknown) => {
        if (!(error instanceof TwilioError && error.code === NOT_IN_PROGRESS)) {
          throw error;
        }
      });
    },

    async hear({ reference }: Sent<PhoneNumber>): Promise<Heard> {
      const call = await api?.get(`/Calls/${reference}.json`, Call);
      const end = ENDS[call?.status ?? ''];
      return end === undefined ? 'nothing yet' : new WayError('refused', end);
    },
  };
}

function missingOf(settings: TwilioSettings | null, isPublic: boolean): string | null {
  if (settings === null) {
    return 'calls need an account of Twilio: TWILIO_ACCOUNT_SID';
  }
  return isPublic ? null : 'calls need an address that Twilio can reach, for the key that is pressed: PUBLIC_URL';
}
