import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { SlackError } from '../errors.ts';
import type { FaultSource } from '../faults/faults.ts';
import { LIMITS } from '../limits.ts';
import { isFields } from '../validation/check.ts';
import { parseContent } from '../validation/message.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Where a response is posted, and which message it can replace: that in which somebody acted. A command has none, so its
 * `response_url` posts another message each time, whatever `replace_original` says (slackapi/bolt-js 2287, bolt-python 1268).
 */
export interface ResponseTarget {
  readonly channel: string;
  readonly viewer: string;
  readonly threadTs: string | null;
  readonly original: { readonly kind: 'message' | 'ephemeral'; readonly ts: string } | null;
}

export interface ResponseUrls {
  /** Returns the path of a new response_url, valid for 5 uses within 30 minutes. */
  issue(target: ResponseTarget): string;
  /** For the content of an acknowledgement, which is not one of the five uses. @throws SlackError */
  respond(path: string, body: Readonly<Record<string, unknown>>): void;
  answer(request: Request, path: string): Promise<Response>;
}

interface ResponseUrl {
  readonly target: ResponseTarget;
  readonly uses: number;
  readonly expiresAtMs: number;
}

const MAX_URLS = 5_000;

/** A request to a response_url. */
export interface RecordedResponse {
  readonly body: unknown;
  /** `ok`, or the error. */
  readonly verdict: string;
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

export function createResponseUrls(deps: {
  workspace: Workspace;
  clock: Clock;
  faults: Pick<FaultSource, 'takeForResponse'>;
  onAnswered: (response: RecordedResponse) => void;
}): ResponseUrls {
  const { workspace } = deps;
  const { now } = deps.clock;
  const urls = new Map<string, ResponseUrl>();

  function respond(path: string, body: Readonly<Record<string, unknown>>): void {
    const url = urls.get(path);
    if (url !== undefined) {
      applyResponse(workspace, url.target, body);
    }
  }

  /** @throws SlackError */
  function use(path: string, body: Readonly<Record<string, unknown>>): void {
    const url = urls.get(path);
    if (url === undefined || now().getTime() > url.expiresAtMs) {
      throw new SlackError('expired_url');
    }
    if (url.uses >= LIMITS.responseUrlUses) {
      throw new SlackError('used_url');
    }
    urls.set(path, { ...url, uses: url.uses + 1 });
    respond(path, body);
  }

  return {
    issue(target) {
      const path = `/response/${randomBytes(16).toString('hex')}`;
      urls.set(path, { target, uses: 0, expiresAtMs: now().getTime() + LIMITS.responseUrlMs });
      for (const old of [...urls.keys()].slice(0, Math.max(0, urls.size - MAX_URLS))) {
        urls.delete(old);
      }
      return path;
    },
    respond,
    async answer(request, path) {
      const text = await request.text();
      const finish = (
        status: number,
        verdict: string,
        answer: RecordedResponse['answer'],
        retryAfterSeconds?: number,
      ): Response => {
        deps.onAnswered({ body: text, verdict, status, answer });
        const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
        return Response.json(answer, { status, headers });
      };
      const fault = deps.faults.takeForResponse();
      try {
        if (fault?.kind === 'rate_limited') {
          return finish(429, 'ratelimited', { ok: false, error: 'ratelimited' }, fault.retryAfterSeconds);
        }
        if (fault?.kind === 'error') {
          throw new SlackError(fault.error);
        }
        if (fault?.kind === 'latency') {
          await new Promise<void>((resolve) => void deps.clock.after(fault.ms, resolve));
        }
        use(path, readBody(text));
        return fault?.kind === 'stored-then-502'
          ? finish(502, fault.kind, { ok: false, error: 'bad_gateway' })
          : finish(200, 'ok', { ok: true });
      } catch (error) {
        if (!(error instanceof SlackError)) {
          throw error;
        }
        const status = error.code.endsWith('_url') ? 404 : 400;
        return finish(status, error.code, { ok: false, error: error.code, ...error.details });
      }
    },
  };
}

function readBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    if (isFields(body)) {
      return body;
    }
  } catch {
    // handled below
  }
  throw new SlackError('invalid_payload');
}

function applyResponse(workspace: Workspace, target: ResponseTarget, body: Readonly<Record<string, unknown>>): void {
  const { channel, viewer, original } = target;
  if (body.delete_original === true) {
    if (original?.kind === 'ephemeral') {
      workspace.changeEphemeral(viewer, channel, original.ts, null);
    } else if (original !== null && workspace.findMessage(channel, original.ts) !== null) {
      workspace.deleteMessage(channel, original.ts);
    }
    return;
  }

  const { content } = parseContent({
    text: typeof body.text === 'string' ? body.text : '',
    blocks: body.blocks,
    attachments: body.attachments,
  });
  if (body.replace_original === true && original !== null) {
    if (original.kind === 'ephemeral') {
      workspace.changeEphemeral(viewer, channel, original.ts, content);
    } else if (workspace.findMessage(channel, original.ts) !== null) {
      workspace.changeMessage(channel, original.ts, (before) => ({
        ...before,
        text: content.text,
        blocks: workspace.nameBlocks(content.blocks),
        isEdited: before.isEdited || content.blocks.length === 0,
      }));
    }
    return;
  }
  if (body.response_type === 'in_channel') {
    workspace.post({ channel, user: BOT_USER_ID, content, threadTs: target.threadTs });
    return;
  }
  workspace.postEphemeral({ channel, viewer, from: 'app', content, threadTs: target.threadTs });
}
