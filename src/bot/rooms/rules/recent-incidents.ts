import type { ServiceClient } from '../../../client/service-client.ts';
import type { IncidentSummary } from '../../../contract/resources.ts';

const MOST_READ = 2_000;
const PAGE_SIZE = 100;

/**
 * Reads the incidents that opened since `since`, in any state.
 *
 * @returns `isWhole`: false if there were too many to read all
 */
export async function readRecentIncidents(
  service: Pick<ServiceClient, 'incidents'>,
  since: Date,
): Promise<{ incidents: IncidentSummary[]; isWhole: boolean }> {
  const recent = new Map<string, IncidentSummary>();
  let isWhole = true;
  for (const status of ['open', 'closed'] as const) {
    let read = 0;
    let older = 0;
    let last = Number.POSITIVE_INFINITY;
    let isNewestFirst = true;
    for await (const incident of service.incidents({ status, pageSize: PAGE_SIZE })) {
      const openedAt = Date.parse(incident.opened_at);
      isNewestFirst &&= openedAt <= last;
      last = openedAt;
      read += 1;
      if (openedAt >= since.getTime()) {
        recent.set(incident.id, incident);
      } else {
        older += 1;
      }
      if (isNewestFirst && older > 0) {
        break;
      }
      if (read >= MOST_READ) {
        isWhole = false;
        break;
      }
    }
  }
  return { incidents: [...recent.values()], isWhole };
}
