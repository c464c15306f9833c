import type { CreateIntegrationRequest } from '../../contract/requests.ts';

export interface Integration {
  readonly id: string;
  readonly type: CreateIntegrationRequest['type'];
  readonly name: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** What makes two requests mean the same integration; null: each request makes a new one. */
export function naturalKeyOf(request: CreateIntegrationRequest): string | null {
  switch (request.type) {
    case 'slack':
      return JSON.stringify(['slack', request.config.team_id, request.config.app_id]);
    case 'otlp':
      return null;
  }
}
