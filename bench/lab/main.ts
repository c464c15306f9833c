import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { switchOff, TERMS } from '../../src/service/engine/accounts/claims.ts';
import { say } from '../measure.ts';
import { readVariants, renderChoice } from './choose.ts';
import { KINDS } from './faults/kinds.ts';
import { type Measured, measureCase } from './measure-case.ts';
import { renderReport, renderScenarios, renderTerms } from './report.ts';
import { SCENARIOS } from './scenarios.ts';
import { drawCase, type WorldSettings } from './worlds.ts';
import { writeDataSet } from './write-data-set.ts';

const HELP = `npm run bench:lab -- [options]
  --quick            6 systems with 10 faults each and 2 healthy ones, in under a minute
  --systems <n>      systems with faults (20)
  --healthy <n>      systems without (6)
  --minutes <n>      of each, with 15 to learn what is normal (150)
  --services <a,b>   fewest and most services of a system (5,80)
  --rows <n>         of a system at most, about (200000)
  --seed <n>         another seed is other systems (1)
  --kinds <a,b>      only these kinds of faults
  --held             the family of systems that nobody tunes on
  --own-keys         each service reports with a key of its own
  --without <a,b>    without these terms of judging; --list names them
  --no-told          without the engine being told the windows
  --write <folder>   writes data sets for bench:correlation instead
  --out <file>       one JSON line per fault
  --choose <a,b>     files of --out, one for each choice of constants: how good are those chosen on other kinds,
                     and on other systems, than they are judged on?
  --scenarios        instead: systems with one hardship each, one line for each hardship
  --terms            instead: one line for each term of judging, without which it measures the systems and some hardships
  --hardships <a,b>  only these, or for --terms these
  --list             names the kinds, the hardships and the terms
  --help             this`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    systems: { type: 'string' },
    healthy: { type: 'string' },
    minutes: { type: 'string' },
    services: { type: 'string' },
    rows: { type: 'string' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: '' },
    held: { type: 'boolean', default: false },
    'own-keys': { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    told: { type: 'boolean', default: true },
    write: { type: 'string' },
    out: { type: 'string' },
    choose: { type: 'string' },
    scenarios: { type: 'boolean', default: false },
    terms: { type: 'boolean', default: false },
    hardships: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
});

function readSettings(): WorldSettings {
  const [fewest = '', most = ''] = (values.services ?? (values.quick ? '5,25' : '5,80')).split(',');
  return {
    seed: Number(values.seed),
    family: values.held ? 'held' : 'open',
    systems: Number(values.systems ?? (values.quick ? 6 : 20)),
    healthy: Number(values.healthy ?? (values.quick ? 2 : 6)),
    minutes: Number(values.minutes ?? (values.quick ? 125 : 150)),
    services: [Number(fewest), Number(most)],
    mostRows: Number(values.rows ?? (values.quick ? 120_000 : 200_000)),
    kinds: values.kinds.split(',').filter((kind) => kind !== ''),
  };
}

async function measureAll(settings: WorldSettings): Promise<void> {
  const measured = await measureEach(settings);
  if (values.out !== undefined) {
    await writeFile(values.out, measured.flatMap(linesOf).join(''));
  }
  say(renderReport(measured));
}

async function measureEach(settings: WorldSettings): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let index = 0; index < settings.systems + settings.healthy; index += 1) {
    const one = await measureCase(drawCase(settings, index), {
      isTold: values.told,
      hasOwnKeys: values['own-keys'],
    });
    measured.push(one);
    process.stderr.write(`${progressOf(one)}\n`);
  }
  return measured;
}

function progressOf({ lab: { system, faults }, outcomes, falseIncidents, rows }: Measured): string {
  const right = outcomes.filter(({ rightAfterFourMinutes }) => rightAfterFourMinutes).length;
  return `${system.seed}: ${right} of ${faults.length} faults right, ${falseIncidents.length} false incidents, ${rows} rows`;
}

function linesOf({ lab, outcomes, falseIncidents, told }: Measured): string[] {
  const system = lab.system.seed;
  const faults = outcomes.map((outcome, index) => ({ system, ...outcome, told: told[index]?.slice(0, 5) }));
  return [...faults, ...falseIncidents.map((incident) => ({ system, false: incident }))].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
}

/** Three systems for each hardship, one of them healthy. */
async function measureScenarios(): Promise<void> {
  const rows: [string, Measured[]][] = [];
  for (const name of chosenHardships(Object.keys(SCENARIOS))) {
    rows.push([name, await measureHardship(name)]);
  }
  say(renderScenarios(rows));
}

function chosenHardships(usual: readonly string[]): readonly string[] {
  return values.hardships?.split(',') ?? usual;
}

function measureHardship(name: string): Promise<Measured[]> {
  const { kinds = [], adjust = {}, mostRows = 50_000 } = SCENARIOS[name] ?? {};
  const about = { systems: 2, healthy: 1, minutes: 90, services: [6, 14], mostRows } as const;
  return measureEach({ ...readSettings(), ...about, kinds, adjust });
}

/** The laboratory, and the hardships that the terms are for, without each term. */
async function measureTerms(): Promise<void> {
  const hardships = chosenHardships(['no client spans', 'lost spans', 'late spans']);
  const rows: [string, Measured[][]][] = [];
  for (const term of [null, ...TERMS]) {
    switchOff(term === null ? [] : [term]);
    const cells = [await measureEach(readSettings())];
    for (const name of hardships) {
      cells.push(await measureHardship(name));
    }
    rows.push([term ?? 'nothing', cells]);
  }
  say(renderTerms(['laboratory', ...hardships], rows));
}

async function writeAll(settings: WorldSettings, folder: string): Promise<void> {
  for (let index = 0; index < settings.systems + settings.healthy; index += 1) {
    const lab = drawCase(settings, index);
    await writeDataSet(lab, settings.systems + settings.healthy === 1 ? folder : join(folder, lab.system.seed));
  }
}

switchOff(TERMS.filter((term) => values.without.split(',').includes(term)));
if (values.help) {
  say(HELP);
} else if (values.list) {
  const hardships = Object.entries(SCENARIOS).map(([name, { title }]) => `${name}: ${title}`);
  say([...Object.keys(KINDS[values.held ? 'held' : 'open']), '', ...hardships, '', ...TERMS].join('\n'));
} else if (values.terms) {
  await measureTerms();
} else if (values.scenarios) {
  await measureScenarios();
} else if (values.choose !== undefined) {
  say(renderChoice(await readVariants(values.choose.split(','))));
} else if (values.write === undefined) {
  await measureAll(readSettings());
} else {
  await writeAll(readSettings(), values.write);
}
