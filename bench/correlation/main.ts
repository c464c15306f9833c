import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { switchOff, TERMS } from '../../src/service/engine/accounts/claims.ts';
import { say } from '../measure.ts';
import { renderFindings } from '../numbers.ts';
import { measureComponents } from './components.ts';
import { openDataSet } from './data-set.ts';
import { judgeAndScore } from './report-offline.ts';
import { replayAndScore } from './report-online.ts';
import { measureThroughput } from './throughput.ts';

const HELP = `npm run bench:correlation -- <folder> [options]
  <folder>      a data set: labels.json with a stream, or with cases
  --without <a,b>  without these terms of judging, see bench:lab --list
  --offline     the engine is told the window of each case; always so for cases
  --out <file>  one JSON line per incident, or per case with --offline
  --components  what a correlator for each component of the call graph could bring
  --throughput  what the engine costs on one core; needs no folder
  --help        this`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    offline: { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    components: { type: 'boolean', default: false },
    throughput: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

switchOff(TERMS.filter((term) => values.without.split(',').includes(term)));
const [folder] = positionals;
if (values.throughput) {
  say(renderFindings(measureThroughput()));
} else if (values.help || folder === undefined) {
  say(HELP);
  process.exitCode = values.help ? 0 : 2;
} else if (values.components) {
  say(renderFindings(await measureComponents(await openDataSet(folder))));
} else {
  const set = await openDataSet(folder);
  const isOffline = values.offline || set.form !== 'stream';
  const { lines, table } = isOffline ? await judgeAndScore(set) : await replayAndScore(set);
  if (values.out !== undefined) {
    await writeFile(values.out, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  say(table);
}
