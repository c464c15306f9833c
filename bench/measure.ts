import { availableParallelism } from 'node:os';
import { type Finding, renderFindings } from './numbers.ts';
import { type ScratchCluster, startScratchCluster } from './scratch-cluster.ts';

/** The measurements of a benchmark by name, in order. */
export type Measurements = Readonly<Record<string, (cluster: ScratchCluster) => Promise<Finding[]>>>;

/** Runs the measurements and prints their findings. Cleans up even if interrupted. @param only default: all */
export async function measureAll(measurements: Measurements, only?: readonly string[]): Promise<void> {
  await using cluster = await startScratchCluster();
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    void cluster.interrupt();
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    for (const [name, measureOne] of Object.entries(measurements)) {
      if (only === undefined || only.includes(name)) {
        const start = performance.now();
        say(`measuring ${name} …`);
        say(`\n${renderFindings(await measureOne(cluster))}\n`);
        say(`That took ${Math.round((performance.now() - start) / 1_000)} s.`);
      }
    }
    say(
      `Tocsin, the baselines and their dependencies shared ${availableParallelism()} cores: only the ratios are meaningful.`,
    );
  } catch (error) {
    if (!isInterrupted) {
      throw error;
    }
    process.exitCode = 130;
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
