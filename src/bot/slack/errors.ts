import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';

export const RESPONSE_URL_REFUSED = 'response_url_refused';

/** Slack did not take a response. */
export class ResponseRefusedError extends Error {
  override readonly name = 'ResponseRefusedError';
  readonly statusCode: number;
  constructor(statusCode: number) {
    super(`Slack refused a response with status ${statusCode}`);
    this.statusCode = statusCode;
  }
}

/** A request that was never sent, because its address is not Slack's. */
export class NotSlackError extends Error {
  override readonly name = 'NotSlackError';
  readonly code = 'NOT_SLACK';
  constructor() {
    super('refused to send a request to an address that is not Slack');
  }
}

/** Codes of failures before anything was sent. */
const NOT_SENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'NOT_SLACK',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const REFUSED_TOKEN = new Set([
  'account_inactive',
  'invalid_auth',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  'team_access_not_granted',
  'token_expired',
  'token_revoked',
  'user_removed_from_team',
]);

const UNCLEAR = new Set([
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

/** Classifies a failed call to Slack by what to do next. */
export type SlackFailure =
  /** No clear response: the call may have succeeded. */
  | { readonly kind: 'ambiguous'; readonly error: string }
  | { readonly kind: 'rate-limited'; readonly error: string; readonly retryAfterMs: number }
  | { readonly kind: 'refused-token'; readonly error: string }
  | { readonly kind: 'missing-scope'; readonly error: string; readonly needed: string }
  /** Slack refused the call; it had no effect. */
  | { readonly kind: 'refused'; readonly error: string };

export function classifySlackFailure(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return { kind: 'rate-limited', error: 'ratelimited', retryAfterMs: error.retryAfter * 1_000 };
  }
  if (error instanceof ResponseRefusedError) {
    const isFinal = error.statusCode >= 400 && error.statusCode < 500 && error.statusCode !== 429;
    return isFinal
      ? { kind: 'refused', error: RESPONSE_URL_REFUSED }
      : { kind: 'ambiguous', error: `HTTP status ${error.statusCode}` };
  }
  if (error instanceof WebAPIHTTPError) {
    return { kind: 'ambiguous', error: `HTTP status ${error.statusCode}` };
  }
  if (!(error instanceof WebAPIPlatformError)) {
    return { kind: 'ambiguous', error: 'no answer' };
  }
  const { error: code } = error.data;
  // Includes a body that is not JSON.
  if (!/^[a-z_]{1,80}$/.test(code)) {
    return { kind: 'ambiguous', error: 'an unreadable answer' };
  }
  const needed: unknown = Reflect.get(error.data, 'needed');
  return classifySlackError(typeof needed === 'string' ? `${code} ${needed}` : code);
}

/** @param reason Slack's error code; `missing_scope` is followed by a space and the needed scope */
export function classifySlackError(reason: string): SlackFailure {
  const [code = '', needed = 'that it needs'] = reason.split(' ');
  if (code === 'missing_scope') {
    return { kind: 'missing-scope', error: code, needed };
  }
  if (REFUSED_TOKEN.has(code)) {
    return { kind: 'refused-token', error: code };
  }
  return { kind: UNCLEAR.has(code) ? 'ambiguous' : 'refused', error: code };
}

/**
 * Whether a failed call or response certainly had no effect: Slack refused it, or never received it. Otherwise it may have
 * been executed, so to repeat it may show the same thing twice.
 */
export function hadNoEffect(error: unknown): boolean {
  const status: unknown = Reflect.get(Object(error), 'statusCode'); // also in Bolt's RespondError
  if (typeof status === 'number') {
    return status >= 400 && status < 500;
  }
  return classifySlackFailure(error).kind !== 'ambiguous' || isNotSent(error);
}

function isNotSent(error: unknown): boolean {
  return error instanceof Error && (NOT_SENT.has(String(Reflect.get(error, 'code'))) || isNotSent(error.cause));
}

export function slackErrorCode(error: unknown): string {
  return classifySlackFailure(error).error;
}
