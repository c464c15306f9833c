import { type CreateIntegrationRequest, INCOMING_TYPES, type IncomingType } from '../../contract/requests.ts';

type IntegrationType = CreateIntegrationRequest['type'];

export interface Integration {
  readonly id: string;
  readonly type: IntegrationType;
  readonly name: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** Why the last use failed; null: it did not. */
  readonly lastError: string | null;
  /** null: it is in use. */
  readonly disabledAt: Date | null;
}

export function isIncoming(type: IntegrationType): type is IncomingType {
  return INCOMING_TYPES.some((incoming) => incoming === type);
}

export function integrationStatusOf({
  lastError,
  disabledAt,
}: Pick<Integration, 'lastError' | 'disabledAt'>): 'active' | 'failing' | 'disabled' {
  if (disabledAt !== null) {
    return 'disabled';
  }
  return lastError === null ? 'active' : 'failing';
}

/** What makes two requests mean the same integration; null: each request makes a new one. */
export function naturalKeyOf(request: CreateIntegrationRequest): string | null {
  if (request.type === 'slack') {
    return JSON.stringify(['slack', request.config.team_id, request.config.app_id]);
  }
  if (request.type === 'webhook') {
    return JSON.stringify(['webhook', new URL(request.config.url).href]);
  }
  return request.name === undefined ? null : JSON.stringify([request.type, request.name]);
}

/** A part of a path that is longer is more likely a token than a word. */
const LONGEST_PATH_WORD = 20;

const MASK = '***';

/** The config as anybody with a key may read it: what may be a secret in the address of a webhook is masked. */
export function maskConfig({ type, config }: Pick<Integration, 'type' | 'config'>): Record<string, unknown> {
  return type === 'webhook' ? { ...config, url: maskUrl(String(config.url)) } : { ...config };
}

function maskUrl(text: string): string {
  const url = new URL(text);
  url.pathname = url.pathname
    .split('/')
    .map((part) => (part.length > LONGEST_PATH_WORD ? MASK : part))
    .join('/');
  for (const name of new Set(url.searchParams.keys())) {
    url.searchParams.set(name, MASK);
  }
  url.hash = '';
  return url.href;
}
