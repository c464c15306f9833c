import { hexSignature } from '../../signature-scheme.ts';
import { reading, type WebhookFormat } from '../format.ts';
import { GitHubEvent, readGitHubEvent } from './github.ts';

export const GITHUB = {
  words: 'GitHub (deployments)',
  setUp: ({ url, key }) => [
    { title: 'Settings: Webhooks: payload URL, content type application/json', text: `${url}?token=${key}` },
  ],
  webhook: {
    operationId: 'sendGitHubEvent',
    what: 'a deployment or release of GitHub',
    ...reading(GitHubEvent, readGitHubEvent),
    isForm: true,
    signature: hexSignature('x-hub-signature-256', 'sha256='),
  },
} satisfies WebhookFormat;
