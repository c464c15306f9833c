import type { Clock } from '../clock.ts';
import { RateLimitedError, SlackError } from '../errors.ts';
import type { FaultSource } from '../faults/faults.ts';
import { APP_TOKEN, BOT_TOKEN, TOOL_TOKEN } from '../workspace/seed.ts';
import { appMethods } from './app.ts';
import { blockMethods } from './blocks.ts';
import { bookmarkMethods } from './bookmarks.ts';
import { channelMethods } from './channels.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { dndMethods } from './dnd.ts';
import { fileMethods } from './files.ts';
import { type Method, type MethodDeps, needScope, readArguments } from './method.ts';
import { pinMethods } from './pins.ts';
import { createMethodLimiter } from './rate-limit.ts';
import { TIERS } from './tiers.ts';
import { callAsTool } from './tools.ts';
import { unfurlMethods } from './unfurl.ts';
import { userGroupMethods } from './user-groups.ts';
import { userMethods } from './users.ts';
import { viewMethods } from './views.ts';

/** All supported methods by name. */
export const METHODS: Readonly<Record<string, Method>> = {
  ...appMethods,
  ...blockMethods,
  ...bookmarkMethods,
  ...channelMethods,
  ...chatMethods,
  ...conversationMethods,
  ...dndMethods,
  ...fileMethods,
  ...pinMethods,
  ...unfurlMethods,
  ...userGroupMethods,
  ...userMethods,
  ...viewMethods,
};

/** One call of the Web API and its response, without the token. */
export interface RecordedCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `ok` or the error code. */
  readonly verdict: string;
  readonly status: number;
  readonly at: Date;
  readonly latencyMs: number;
  /** The response body: a JSON object, or text for a 502. */
  readonly answer: unknown;
}

export interface WebApi {
  /** The most recent calls, newest last. */
  readonly calls: readonly RecordedCall[];
  answer(request: Request, method: string): Promise<Response>;
}

export interface WebApiDeps extends Omit<MethodDeps, 'revokeToken'> {
  readonly faults: Pick<FaultSource, 'take'>;
  readonly clock: Clock;
  readonly onCall: (call: RecordedCall) => void;
}

const MAX_CALLS = 2_000;

export function createWebApi(deps: WebApiDeps): WebApi {
  const calls: RecordedCall[] = [];
  const methodLimiter = createMethodLimiter(deps.now, (method) => TIERS[method]);
  let isRevoked = false;

  function record(call: RecordedCall): void {
    calls.push(call);
    if (calls.length > MAX_CALLS) {
      calls.shift();
    }
    deps.onCall(call);
  }

  function revokeToken(): void {
    isRevoked = true;
  }

  /** @throws SlackError, RateLimitedError */
  function run(name: string, raw: Readonly<Record<string, unknown>>, token: string | null): Record<string, unknown> {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method === undefined) {
      throw new SlackError('unknown_method', { req_method: name });
    }
    checkToken(method, token);
    if (isRevoked && method.token === 'bot') {
      throw new SlackError('token_revoked');
    }
    methodLimiter.take(name);
    if (method.scope !== null) {
      needScope(deps, method.scope);
    }
    return method.run(readArguments(raw), { ...deps, revokeToken });
  }

  async function answer(request: Request, name: string): Promise<Response> {
    const at = deps.now();
    const body = await readBody(request);
    if (body === null) {
      return Response.json({ ok: false, error: 'invalid_json' });
    }
    const { token: tokenArgument, ...args } = body;
    const token = readToken(request, tokenArgument);
    const tool = TOOL_TOKEN.exec(token ?? '')?.[1];
    if (tool !== undefined) {
      return callAsTool(name, args, tool, deps);
    }
    const finish = (status: number, verdict: string, body: object | string, headers = {}): Response => {
      const latencyMs = deps.now().getTime() - at.getTime();
      record({ method: name, args, verdict, status, at, latencyMs, answer: body });
      return typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status, headers });
    };

    const fault = deps.faults.take(name);
    try {
      if (fault?.kind === 'rate_limited') {
        throw new RateLimitedError(fault.retryAfterSeconds);
      }
      if (fault?.kind === 'error') {
        throw new SlackError(fault.error);
      }
      if (fault?.kind === 'latency') {
        await new Promise<void>((resolve) => void deps.clock.after(fault.ms, resolve));
      }
      const result = run(name, args, token);
      if (fault?.kind === 'stored-then-502') {
        return finish(502, 'stored-then-502', '<html>Bad Gateway</html>');
      }
      return finish(200, 'ok', { ok: true, ...result }, scopeHeaders(name, token));
    } catch (error) {
      if (error instanceof RateLimitedError) {
        const headers = { 'retry-after': String(error.retryAfterSeconds) };
        return finish(429, 'ratelimited', { ok: false, error: 'ratelimited' }, headers);
      }
      if (error instanceof SlackError) {
        const refusal = { ok: false, error: error.code, ...error.details };
        return finish(200, error.code, refusal, scopeHeaders(name, token));
      }
      throw error;
    }
  }

  /** Slack sends the scopes of the token and of the method with every response. */
  function scopeHeaders(name: string, token: string | null): Record<string, string> {
    const accepted = METHODS[name]?.scope;
    return {
      ...(token === BOT_TOKEN && { 'x-oauth-scopes': deps.manifest.oauth_config.scopes.bot.join(',') }),
      ...(token === APP_TOKEN && { 'x-oauth-scopes': 'connections:write' }),
      ...(typeof accepted === 'string' && { 'x-accepted-oauth-scopes': accepted }),
    };
  }

  return { calls, answer };
}

function checkToken(method: Method, token: string | null): void {
  if (method.token === 'none') {
    return;
  }
  if (token === null) {
    throw new SlackError('not_authed');
  }
  if (token !== BOT_TOKEN && token !== APP_TOKEN) {
    throw new SlackError('invalid_auth');
  }
  if (token !== (method.token === 'bot' ? BOT_TOKEN : APP_TOKEN)) {
    throw new SlackError('not_allowed_token_type');
  }
}

function readToken(request: Request, argument: unknown): string | null {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '');
  return bearer?.[1] ?? (typeof argument === 'string' && argument !== '' ? argument : null);
}

/** Merges query and body. Null when a JSON body is not an object. */
async function readBody(request: Request): Promise<Record<string, unknown> | null> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const text = await request.text();
  if (!(request.headers.get('content-type') ?? '').startsWith('application/json')) {
    return { ...query, ...Object.fromEntries(new URLSearchParams(text)) };
  }
  try {
    const body: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...query, ...body } : null;
  } catch {
    return null;
  }
}
