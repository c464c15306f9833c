import { type CreateIntegrationRequest, INGEST_PATHS, type IncomingType } from '../../contract/integrations.ts';

type IntegrationType = CreateIntegrationRequest['type'];

export interface Integration {
  readonly id: string;
  readonly type: IntegrationType;
  readonly name: string | null;
  /** The system that its signals belong to. */
  readonly system: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** Why the last use failed; null if it succeeded. */
  readonly lastError: string | null;
  /** The last of what it sent that was accepted, but not kept or without effect; null: there was none. */
  readonly unkept: { readonly reason: string; readonly at: Date } | null;
  /** null: it is enabled. */
  readonly disabledAt: Date | null;
  /** Since when it is silent; null: it is not, or nobody watches for that. */
  readonly silentSince: Date | null;
}

/** Whether events are sent to it. */
export function isReceiver(type: IntegrationType): type is 'webhook' | 'pagerduty' {
  return type === 'webhook' || type === 'pagerduty';
}

export function isIncoming(type: IntegrationType): type is IncomingType {
  return Object.hasOwn(INGEST_PATHS, type);
}

/** Requests with the same key mean the same integration. null: each request creates a new one. */
export function naturalKeyOf(request: CreateIntegrationRequest): string | null {
  if (request.type === 'slack') {
    return JSON.stringify(['slack', request.config.team_id, request.config.app_id]);
  }
  if (request.type === 'webhook') {
    return JSON.stringify(['webhook', new URL(request.config.url).href]);
  }
  if (request.type === 'pagerduty') {
    return JSON.stringify(['pagerduty', request.config.routing_key, new URL(request.config.url).href]);
  }
  return request.name === undefined ? null : JSON.stringify([request.type, request.name]);
}

/** Longer parts of a path are more likely tokens than words. */
const MAX_PATH_WORD_LENGTH = 20;

const MASK = '***';

/** The config as any reader may see it, without keys. Parts of a receiver's address that may be secret are masked. */
export function maskConfig({ type, config }: Pick<Integration, 'type' | 'config'>): Record<string, unknown> {
  const hidden = {
    ...(type === 'pagerduty' ? { routing_key: MASK } : {}),
    ...('secret' in config ? { secret: MASK } : {}),
  };
  return isReceiver(type) ? { ...config, ...hidden, url: maskUrl(String(config.url)) } : { ...config, ...hidden };
}

function maskUrl(text: string): string {
  const url = new URL(text);
  url.pathname = url.pathname
    .split('/')
    .map((part) => (part.length > MAX_PATH_WORD_LENGTH ? MASK : part))
    .join('/');
  for (const name of new Set(url.searchParams.keys())) {
    url.searchParams.set(name, MASK);
  }
  url.hash = '';
  return url.href;
}

/** Shorter parts of an address are words that occur in any text. */
const MIN_SECRET_LENGTH = 6;

/** The parts that `maskConfig` hides in a webhook's address, as they are written there and decoded. */
export function secretPartsOf(address: string): string[] {
  const { pathname, search, hash } = new URL(address);
  const words = pathname.split('/').filter((part) => part.length > MAX_PATH_WORD_LENGTH);
  const values = search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...words, ...values, hash.slice(1)]
    .flatMap((part) => [part, decode(part)])
    .filter((part) => part.length >= MIN_SECRET_LENGTH);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
