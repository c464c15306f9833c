import { STANDARD_WEBHOOK } from '../../signature-scheme.ts';
import { reading, type WebhookFormat } from '../format.ts';
import { GitLabEvent, readGitLabEvent } from './gitlab.ts';

export const GITLAB = {
  words: 'GitLab (deployments)',
  setUp: ({ url, key }) => [
    { title: 'Settings: Webhooks: URL and secret token', text: `URL           ${url}\nsecret token  ${key}` },
    { title: 'URL, if you give its signing token to this integration', text: `${url}?token=${key}` },
  ],
  webhook: {
    operationId: 'sendGitLabEvent',
    what: 'a deployment or release of GitLab',
    ...reading(GitLabEvent, readGitLabEvent),
    signature: STANDARD_WEBHOOK,
  },
} satisfies WebhookFormat;
