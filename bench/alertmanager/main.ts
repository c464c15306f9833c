import { parseArgs } from 'node:util';
import { hasAlertmanager } from '../../test/support/alertmanager.ts';
import { type Measurements, measureAll, say } from '../measure.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { measureActive } from './active.ts';
import { measureBursts } from './bursts.ts';
import { GROUP_INTERVAL, type Side, startAlertmanagerSide, startTocsinSide } from './sides.ts';

const HELP = `npm run bench:alertmanager -- [options]
  --only <name>      bursts or active, and nothing else; may be given more than once
  --bursts <number>  through each side, in turn (20)
  --active <number>  alerts that fire at the same time, posted like Prometheus does (100000)
  --help             this`;

const HOW = `Alertmanager posts each alert to Slack separately (group_wait 0, group_interval ${GROUP_INTERVAL}, shorter than its default).
Tocsin receives each alert as Alertmanager's webhook sends it. Slack is local and responds within milliseconds.
Nothing else is known of the services: where callers or callees are, Tocsin waits 3 s for what they report.
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    bursts: { type: 'string', default: '20' },
    active: { type: 'string', default: '100000' },
    help: { type: 'boolean', default: false },
  },
});

const MEASUREMENTS: Measurements = {
  bursts: (cluster) =>
    withSides(cluster, 'bursts', (tocsin, other) => measureBursts(tocsin, other, Number(values.bursts))),
  active: (cluster) => measureActive(cluster, Number(values.active)),
};

async function withSides<Result>(
  cluster: ScratchCluster,
  database: string,
  measure: (tocsin: Side, alertmanager: Side) => Promise<Result>,
): Promise<Result> {
  await using tocsin = await startTocsinSide(cluster, database);
  await using alertmanager = await startAlertmanagerSide();
  return await measure(tocsin, alertmanager);
}

if (values.help) {
  say(HELP);
} else if (hasAlertmanager) {
  say(HOW);
  await measureAll(MEASUREMENTS, values.only);
} else {
  say('prometheus-alertmanager is not installed here: Debian has it as a package of that name.');
  process.exitCode = 1;
}
