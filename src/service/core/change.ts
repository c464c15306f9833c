import type { LogRecord } from './telemetry.ts';
import type { ChangeItem } from './telemetry-item.ts';
import { oneLine, textOf } from './text.ts';

const SUBJECT_LIMIT = 100;
/** Values of the attribute `event.name` of a log record that reports a deployment. */
const DEPLOYMENTS = new Set(['deploy', 'deployment']);

/** Whether the record reports that its service was deployed, instead of being a line of its log. */
export function isDeployment({ attributes }: LogRecord): boolean {
  return DEPLOYMENTS.has(textOf(attributes['event.name']));
}

/** The subject is the new version, or the body of the record. */
export function toChangeItem({ attributes, resource, body }: LogRecord, at: number): ChangeItem {
  const version = textOf(attributes['service.version'] ?? resource.attributes['service.version']);
  return { kind: 'change', service: resource.service, at, subject: oneLine(version || textOf(body), SUBJECT_LIMIT) };
}
