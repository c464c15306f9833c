import { closest } from '../../../runtime/closest.ts';
import { byUrgency } from '../../incident/severity.ts';
import { answers } from '../../listeners/command-handler.ts';
import { withService } from '../../listeners/with-service.ts';
import { readIncidents } from './read-incidents.ts';
import { incidentStats } from './stats.ts';
import { noneOf, statsMessage, unknownService } from './stats-view.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
/** Services that a mistyped name is compared with. */
const MOST_NAMES = 200;

export const handleStats = answers(
  withService(async (deps, { filter: { service, periodMs } }, answer) => {
    const period = periodMs ?? WEEK_MS;
    const since = deps.now().getTime() - period;
    const name = service?.toLowerCase();
    const { incidents, isCut } = await readIncidents(
      deps,
      ({ opened_at, root_service, services = [] }) =>
        Date.parse(opened_at) >= since &&
        (name === undefined || [root_service, ...services].some((each) => each.toLowerCase() === name)),
    );
    if (service !== null && incidents.length === 0) {
      const names = await deps.store.serviceNames.matching('', MOST_NAMES);
      const isKnown = names.some((each) => each.toLowerCase() === name);
      if (isKnown) {
        return answer(noneOf(service, period));
      }
      const open = (await deps.store.incidents.listOpen(null)).sort(byUrgency(deps.now()));
      const failing = open.map(({ root_service }) => root_service);
      return answer(unknownService(service, closest(service, names), failing));
    }
    await answer(statsMessage(incidentStats(incidents), { periodMs: period, service, isCut }));
  }),
);
