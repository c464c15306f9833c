import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { measureIncidents } from './incidents.ts';
import { measureIngest } from './ingest.ts';
import { type Finding, renderFindings } from './numbers.ts';
import { type ScratchCluster, startScratchCluster } from './scratch-cluster.ts';
import { measureSignals } from './signals.ts';

const HELP = `npm run bench:service -- [options]
  --only <name>         ingest, incidents or signals, and nothing else; may be given more than once
  --incidents <number>  in the large list (1000000)
  --signals <number>    stored (1000000)
  --full                with ten million signals, for which the goal is set; takes some 7 GB of the temporary folder
  --help                this`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    incidents: { type: 'string', default: '1000000' },
    signals: { type: 'string', default: '1000000' },
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const signals = values.full ? 10_000_000 : Number(values.signals);
const MEASUREMENTS: Readonly<Record<string, (cluster: ScratchCluster) => Promise<Finding[]>>> = {
  ingest: measureIngest,
  incidents: (cluster) => measureIncidents(cluster, Number(values.incidents)),
  signals: (cluster) => measureSignals(cluster, signals),
};

async function measure(): Promise<void> {
  await using cluster = await startScratchCluster();
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    void cluster.interrupt();
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    for (const [name, measureOne] of Object.entries(MEASUREMENTS)) {
      if (values.only === undefined || values.only.includes(name)) {
        const start = performance.now();
        say(`measuring ${name} …`);
        say(`\n${renderFindings(await measureOne(cluster))}\n`);
        say(`That took ${Math.round((performance.now() - start) / 1_000)} s.`);
      }
    }
    say(`Service, PostgreSQL, client and baseline shared ${availableParallelism()} cores: read the ratios.`);
  } catch (error) {
    if (!isInterrupted) {
      throw error;
    }
    process.exitCode = 130;
  }
}

if (values.help) {
  say(HELP);
} else {
  await measure();
}
