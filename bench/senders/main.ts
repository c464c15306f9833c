import { parseArgs } from 'node:util';
import { PRESETS, withDifference } from '../../src/service/ingest/presets/presets.ts';
import { chance, createRandom } from '../lab/random.ts';
import { judgePair, readPairs } from './pairs.ts';
import { dayOf, judge, type Reading, type Sent, setUp, testOf, type Verdict } from './play.ts';
import { createStrangeVendor } from './strange-vendor.ts';
import { TONGUES, type Tongue } from './strange-words.ts';
import { KEPT_TONGUES } from './strange-words-kept.ts';

/**
 * How well senders are read: those with a preset, pairs of public payloads, and vendors that nobody has seen.
 *
 * A vendor is set up as its page asks: a failure and its end are sent, and what is suggested is saved as it is. Then come a
 * failure, the same again, another, an acknowledgement, the end, the failure an hour later, its end twice, an end without a
 * beginning, and 200 at once. The one answer of a person is which word is the end, or a click on what the page suggests.
 * `--words kept` uses a vocabulary that was not looked at while the service was worked on.
 */
const { values } = parseArgs({
  options: {
    vendors: { type: 'string', default: '120' },
    seed: { type: 'string', default: 'senders' },
    words: { type: 'string', default: 'known' },
    show: { type: 'string' },
  },
});
const tongues = values.words === 'kept' ? KEPT_TONGUES : TONGUES;

/** What is right at once counts where a failure and its end were sent: of a failure alone no word tells its end. */
const GOALS = { right: 0.85, afterOneAnswer: 0.98, inSilence: 0 };
const VERDICTS: readonly Verdict[] = ['right', 'right after one answer', 'wrong, and said so', 'wrong in silence'];

interface Tally {
  readonly counts: Record<Verdict, number>;
  readonly examples: string[];
}

function createTally(): Tally {
  return {
    counts: { right: 0, 'right after one answer': 0, 'wrong, and said so': 0, 'wrong in silence': 0 },
    examples: [],
  };
}

function add({ counts, examples }: Tally, name: string, { verdict, why }: { verdict: Verdict; why: string }): void {
  counts[verdict] += 1;
  if (verdict === values.show || (values.show === undefined && verdict === 'wrong in silence')) {
    examples.push(`  ${name}: ${why}`);
  }
}

function shareOf({ counts }: Tally, ...verdicts: readonly Verdict[]): number {
  const all = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  return verdicts.reduce((sum, verdict) => sum + counts[verdict], 0) / all;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function report(title: string, tally: Tally): void {
  const parts = VERDICTS.map(
    (verdict) => `${verdict} ${tally.counts[verdict]} (${(100 * shareOf(tally, verdict)).toFixed(1)} %)`,
  );
  print(`${title}: ${parts.join(', ')}`);
  for (const example of tally.examples.slice(0, 12)) {
    print(example);
  }
}

const LOST = { verdict: 'wrong, and said so', why: 'no title was found' } as const;

function judgeStrangers(sentFirst: 1 | 2, tongues: readonly Tongue[]): Tally {
  const tally = createTally();
  const random = createRandom(values.seed);
  for (let at = 0; at < Number(values.vendors); at += 1) {
    const own = random.fork(String(at));
    const vendor = createStrangeVendor(own, at, tongues);
    const reading = setUp(testOf(vendor).slice(0, sentFirst));
    const day = dayOf(vendor, chance(own, 0.5) ? 'host' : 'check');
    add(tally, vendor.name, reading === null ? LOST : judge(day, reading, vendor.answers));
  }
  return tally;
}

function judgePresets(): Tally {
  const tally = createTally();
  for (const { id, mapping, failure, end, another } of PRESETS) {
    const reading: Reading = { mapping, answers: {}, remarks: [] };
    const sent = (difference: unknown, name: string, said: 'fails' | 'over'): Sent => ({
      body: withDifference(failure, difference),
      truths: [{ failure: name, said, severity: null }],
    });
    const fails = [sent({}, 'a', 'fails'), sent({}, 'a', 'fails'), sent(another, 'b', 'fails')];
    const over =
      end === null
        ? []
        : [sent(end, 'a', 'over'), sent({}, 'a', 'fails'), sent(end, 'a', 'over'), sent(end, 'a', 'over')];
    add(tally, id, judge([...fails, ...over], reading, {}));
  }
  return tally;
}

function judgePairs(): Tally {
  const tally = createTally();
  for (const pair of readPairs()) {
    add(tally, pair.name, judgePair(pair));
  }
  return tally;
}

const startedAt = performance.now();
const [presets, pairs] = [judgePresets(), judgePairs()];
const [strangers, early] = [judgeStrangers(2, tongues), judgeStrangers(1, tongues)];
report('presets', presets);
report('pairs of public payloads, by the suggestion', pairs);
report(`${values.vendors} vendors that nobody has seen, set up by a failure and its end`, strangers);
report('the same, set up by a failure alone', early);
print(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);

const missed = [
  ...(shareOf(strangers, 'right') < GOALS.right ? ['right at once'] : []),
  ...[strangers, early].flatMap((tally) => [
    ...(shareOf(tally, 'right', 'right after one answer') < GOALS.afterOneAnswer ? ['right after one answer'] : []),
    ...(shareOf(tally, 'wrong in silence') > GOALS.inSilence ? ['nothing wrong in silence'] : []),
  ]),
  ...(shareOf(presets, 'right') < 1 ? ['every preset right'] : []),
];
if (missed.length > 0) {
  print(`goals missed: ${missed.join('; ')}`);
  process.exitCode = 1;
}
