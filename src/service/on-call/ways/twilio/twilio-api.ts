import { z } from 'zod';
import type { Provider } from '../provider.ts';
import { parseAnswer } from '../provider.ts';
import { WayError, type WayFailure } from '../way.ts';

export interface TwilioSettings {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of that account, which can send SMS and place calls. */
  readonly from: string;
  /** Countries whose numbers may be called, such as `DE`. */
  readonly countries: readonly string[];
  /** Without a slash at the end. */
  readonly url: string;
}

/** twilio.com/docs/api/errors */
const GONE: Readonly<Record<number, string>> = {
  21211: 'there is no such number',
  21214: 'the number cannot be reached',
  21217: 'there is no such number',
  21610: 'its owner answered STOP to an earlier SMS',
  21614: 'the number cannot receive SMS',
  30005: 'there is no such number',
  30006: 'the number cannot receive SMS',
};
/** Too many at once: nothing was accepted. */
const LATER = new Set([20429, 21611]);

const Fault = z.object({ code: z.number().nullish() });

/** An error that Twilio knows by a number. */
export class TwilioError extends WayError {
  /** null: none was given. */
  readonly code: number | null;

  constructor(failure: WayFailure, message: string, code: number | null) {
    super(failure, message);
    this.code = code;
  }
}

/** Calls the API of Twilio (github.com/twilio/twilio-oai). */
export interface TwilioApi {
  /** @param path below the account, such as `/Messages.json` */
  get<Schema extends z.ZodType>(path: string, schema: Schema, query?: Query): Promise<z.output<Schema>>;
  post<Schema extends z.ZodType>(path: string, schema: Schema, form: Query): Promise<z.output<Schema>>;
}

type Query = Readonly<Record<string, string>>;

export function createTwilioApi({ accountSid, authToken, url }: TwilioSettings, provider: Provider): TwilioApi {
  const account = `${url}/2010-04-01/Accounts/${accountSid}`;
  const headers = { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` };

  async function call<Schema extends z.ZodType>(path: string, schema: Schema, form?: Query): Promise<z.output<Schema>> {
    const body = form === undefined ? {} : { method: 'POST' as const, body: new URLSearchParams(form) };
    const { status, text } = await provider.call('Twilio', { url: account + path, headers, ...body });
    if (status >= 300) {
      throw faultOf(status, Fault.safeParse(jsonOf(text)).data?.code ?? null);
    }
    return parseAnswer('Twilio', schema, text);
  }

  return {
    get: (path, schema, query = {}) => call(`${path}?${String(new URLSearchParams(query))}`, schema),
    post: (path, schema, form) => call(path, schema, form),
  };
}

/** The error by its number: Twilio's own words repeat the telephone number. */
export function faultOf(status: number, code: number | null): TwilioError {
  const gone = GONE[code ?? 0];
  if (gone !== undefined) {
    return new TwilioError('gone', `Twilio says that ${gone} (${code})`, code);
  }
  const failure = LATER.has(code ?? 0) ? 'later' : 'refused';
  return new TwilioError(failure, `Twilio answered ${status}${code === null ? '' : ` (error ${code})`}`, code);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
