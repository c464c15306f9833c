import { parseArgs } from 'node:util';
import { type Measurements, measureAll, say } from '../measure.ts';
import { measureDashboard } from './dashboard.ts';
import { measureGrowth } from './growth.ts';
import { measureIngest } from './ingest.ts';
import { measureLogs } from './logs.ts';
import { measureProcesses } from './processes.ts';
import { measureSearches } from './searches.ts';
import { measureStreams } from './streams.ts';
import { measureSustained } from './sustained.ts';
import { measureSystems } from './systems.ts';

const HELP = `npm run bench:service -- [options]
  --only <name>         ingest, processes, log, dashboard, growth, searches, streams, sustained or systems, and nothing else; may
                        be given more than once
  --incidents <number>  in the large list (1000000)
  --signals <number>    stored (1000000)
  --minutes <number>    that a rate is sustained (10)
  --spans <number>      a second, sustained (25000)
  --systems <number>    that one process correlates (100)
  --seconds <number>    of their telemetry (30)
  --full                with ten million signals, for which the goal is set; takes some 7 GB of the temporary folder
  --help                this`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    incidents: { type: 'string', default: '1000000' },
    signals: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '10' },
    spans: { type: 'string', default: '25000' },
    systems: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const signals = values.full ? 10_000_000 : Number(values.signals);
const MEASUREMENTS: Measurements = {
  ingest: measureIngest,
  processes: measureProcesses,
  log: measureLogs,
  dashboard: (cluster) => measureDashboard(cluster, Number(values.incidents)),
  growth: (cluster) => measureGrowth(cluster, signals),
  searches: (cluster) => measureSearches(cluster, Number(values.signals)),
  streams: measureStreams,
  sustained: (cluster) =>
    measureSustained(cluster, { minutes: Number(values.minutes), spansPerSecond: Number(values.spans) }),
  systems: (cluster) => measureSystems(cluster, { systems: Number(values.systems), seconds: Number(values.seconds) }),
};

if (values.help) {
  say(HELP);
} else {
  await measureAll(MEASUREMENTS, values.only);
}
