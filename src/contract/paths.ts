import { INGEST_PATHS } from './integrations.ts';

/** Where requests of Slack arrive. */
export const SLACK_PATH = '/slack';

/** The paths of the service: those of the API, the dashboard and every sender. What is below them belongs to them. */
export const SERVICE_PATHS: readonly string[] = [
  ...new Set(['/v1', '/dashboard', ...Object.values(INGEST_PATHS)].map(firstSegment).filter((path) => path !== '')),
];

/** `/v2` of `/v2/alerts`; empty for an empty path. */
export function firstSegment(path: string): string {
  return /^\/[^/]+/.exec(path)?.[0] ?? '';
}
