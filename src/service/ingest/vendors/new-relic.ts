import { z } from 'zod';
import type { Severity } from '../../../contract/resources.ts';
import type { SignalBatch } from '../../core/signal.ts';
import { fingerprint } from '../../core/text.ts';
import { toSignal } from '../alert.ts';
import { Text, Texts, timeOf } from './vendor-values.ts';

/**
 * An issue of New Relic as the default template of a webhook in a workflow sends it (docs.newrelic.com, "Notification
 * integrations" and "Workflow variables").
 */
export const NewRelicIssue = z.object({
  id: z.string().min(1),
  issueUrl: Text,
  title: Text,
  priority: Text,
  state: Text,
  impactedEntities: Texts,
  alertPolicyNames: Texts,
  alertConditionNames: Texts,
  workflowName: Text,
  createdAt: Text,
  updatedAt: Text,
});
export type NewRelicIssue = z.infer<typeof NewRelicIssue>;

const BY_PRIORITY: Readonly<Record<string, Severity>> = {
  CRITICAL: 'critical',
  HIGH: 'error',
  MEDIUM: 'warning',
  LOW: 'info',
};

export function readNewRelicIssue(issue: NewRelicIssue, now: Date): SignalBatch {
  const ofIssue = fingerprint('alert', 'new relic', issue.id);
  if (/^(closed|resolved)$/i.test(issue.state)) {
    return { signals: [], ends: [{ fingerprint: ofIssue, endedAt: now }] };
  }
  const [condition = ''] = issue.alertConditionNames;
  const signal = toSignal({
    services: [issue.impactedEntities[0], condition],
    otherwise: { 'the title': issue.title },
    summary: issue.title || condition || 'an issue of New Relic',
    severity: BY_PRIORITY[issue.priority.toUpperCase()] ?? 'error',
    observedAt: timeOf(issue.createdAt, now),
    seenAt: now,
    fingerprint: ofIssue,
    attributes: {
      entities: issue.impactedEntities,
      policies: issue.alertPolicyNames,
      conditions: issue.alertConditionNames,
      workflow: issue.workflowName,
    },
    pages: [{ kind: 'generator', url: issue.issueUrl }],
    reportsEnd: true,
    source: { format: 'new_relic', issue: issue.id },
  });
  return { signals: [signal] };
}
