import { z } from 'zod';
import type { SignalBatch } from '../../../core/signal.ts';
import { deployment, NOTHING, shortRevision, Text, timeOf } from '../../vendor-values.ts';

/**
 * Webhooks for deployments and releases of GitLab (gitlabhq/gitlabhq, `doc/user/project/integrations/
 * webhook_events.md`, of GitLab 18, read on 2026-11-25). Others are accepted and ignored.
 */
export const GitLabEvent = z.object({
  object_kind: Text,
  /** The name is what people read ("Gitlab Test"); the path is that of the repository. */
  project: z
    .object({ name: Text, path_with_namespace: Text })
    .catch({ name: '', path_with_namespace: '' })
    .transform(({ name, path_with_namespace: path }) => path.split('/').at(-1) || name),
  /** Deployments have these five. */
  status: Text,
  status_changed_at: Text,
  environment: Text,
  short_sha: Text,
  ref: Text,
  /** Releases have these three. */
  action: Text,
  tag: Text,
  released_at: Text,
});
export type GitLabEvent = z.infer<typeof GitLabEvent>;

export function readGitLabEvent(event: GitLabEvent, now: Date): SignalBatch {
  const name = event.project;
  if (name !== '' && event.object_kind === 'deployment' && event.status === 'success') {
    const subject = [shortRevision(event.short_sha || event.ref), event.environment].filter(Boolean).join(' to ');
    return deployment(name, subject, timeOf(event.status_changed_at, now));
  }
  if (name !== '' && event.object_kind === 'release' && event.action === 'create') {
    return deployment(name, event.tag, timeOf(event.released_at, now));
  }
  return NOTHING;
}
