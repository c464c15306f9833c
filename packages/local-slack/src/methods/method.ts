import { invalidArguments, SlackError } from '../errors.ts';
import type { Manifest } from '../manifest.ts';
import type { FileBytes } from '../workspace/file-bytes.ts';
import type { Channel } from '../workspace/model.ts';
import { BOT_USER_ID } from '../workspace/seed.ts';
import type { Triggers } from '../workspace/triggers.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { PostLimiter } from './rate-limit.ts';

export interface MethodDeps {
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  readonly triggers: Triggers;
  readonly limiter: PostLimiter;
  readonly fileBytes: FileBytes;
  readonly now: () => Date;
  /** Revokes the bot token. */
  readonly revokeToken: () => void;
  readonly workspaceUrl: () => string;
  /** One-time URL of a new Socket Mode connection. Null when Socket Mode is off. */
  readonly openSocket: () => string | null;
}

export interface Method {
  readonly token: 'bot' | 'app' | 'none';
  /** The required scope. Null when the method needs none or checks it itself. */
  readonly scope: string | null;
  run(args: Arguments, deps: MethodDeps): Record<string, unknown>;
}

/** The arguments of a call, sent as a form (strings, objects as JSON) or as JSON. */
export interface Arguments {
  /** As sent. */
  readonly all: Readonly<Record<string, unknown>>;
  /** Null when missing or empty. */
  text(name: string): string | null;
  /** @throws SlackError invalid_arguments when it is missing or empty */
  needed(name: string): string;
  /** Undefined when missing. @throws SlackError with `code` when it is not JSON */
  json(name: string, code: string): unknown;
  /** The strings of a JSON array. Empty when missing. */
  list(name: string): readonly string[];
  flag(name: string): boolean;
  /** A positive integer, at most `max`. @throws SlackError invalid_limit when it is something else */
  count(name: string, fallback: number, max: number): number;
}

export function readArguments(raw: Readonly<Record<string, unknown>>): Arguments {
  function text(name: string): string | null {
    const value = raw[name];
    if (typeof value === 'number' || typeof value === 'boolean') {
      return String(value);
    }
    return typeof value === 'string' && value !== '' ? value : null;
  }
  return {
    all: raw,
    text,
    needed(name) {
      const value = text(name);
      if (value === null) {
        throw invalidArguments(`missing required field: ${name}`);
      }
      return value;
    },
    json(name, code) {
      const value = raw[name];
      if (typeof value !== 'string') {
        return value ?? undefined;
      }
      if (value === '') {
        return undefined;
      }
      try {
        return JSON.parse(value);
      } catch {
        throw new SlackError(code);
      }
    },
    list(name) {
      const value = raw[name];
      return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    },
    flag: (name) => ['true', '1'].includes(text(name) ?? ''),
    count(name, fallback, max) {
      const value = text(name);
      if (value === null) {
        return fallback;
      }
      const count = Number(value);
      if (!Number.isInteger(count) || count < 1) {
        throw new SlackError('invalid_limit');
      }
      return Math.min(count, max);
    },
  };
}

/** Ids, sent as an array or separated by commas. Null when there are none. */
export function readIds(args: Arguments, name: string): readonly string[] | null {
  const value = args.text(name) ?? args.list(name);
  const ids = (typeof value === 'string' ? value.split(',') : value).map((id) => id.trim()).filter((id) => id !== '');
  return ids.length === 0 ? null : ids;
}

/** Current time in whole seconds. */
export function secondsNow(deps: Pick<MethodDeps, 'now'>): number {
  return Math.floor(deps.now().getTime() / 1000);
}

export function needScope(deps: Pick<MethodDeps, 'manifest'>, scope: string): void {
  const provided = deps.manifest.oauth_config.scopes.bot;
  if (!provided.includes(scope)) {
    throw new SlackError('missing_scope', { needed: scope, provided: provided.join(',') });
  }
}

/** The channel with this id. @throws SlackError channel_not_found when it does not exist or is not visible to the bot */
export function getChannel(deps: MethodDeps, id: string): Channel {
  const channel = deps.workspace.findChannel(id);
  if (channel === null || (channel.kind !== 'public' && !isMember(channel))) {
    throw new SlackError('channel_not_found');
  }
  return channel;
}

export function isMember(channel: Channel, userId: string = BOT_USER_ID): boolean {
  return channel.members.includes(userId);
}

/** One page of items, and the cursor of the next page ('' at the end). */
export function page<T>(all: readonly T[], cursor: string | null, limit: number): { items: T[]; nextCursor: string } {
  const start = cursor === null ? 0 : decodeCursor(cursor);
  const end = start + limit;
  return {
    items: all.slice(start, end),
    nextCursor: end < all.length ? Buffer.from(`next:${end}`).toString('base64') : '',
  };
}

function decodeCursor(cursor: string): number {
  const match = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString());
  if (match?.[1] === undefined) {
    throw new SlackError('invalid_cursor');
  }
  return Number(match[1]);
}
