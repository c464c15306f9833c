import { runAttacks, type Verdict } from './attack.ts';
import { listAttacks } from './attacks.ts';

/** Attacks a service of its own on loopback. `npm run attack -- webhook` runs those whose name contains the word. */
const [word = ''] = process.argv.slice(2);
const attacks = listAttacks().filter(({ name }) => name.includes(word));

const width = Math.max(...attacks.map(({ name }) => name.length));

function say(verdict: string, health: string, attack: string, answer: string): void {
  const row = [verdict.padEnd(7), health.padStart(8), attack.padEnd(width), answer.slice(0, 200)];
  process.stdout.write(`${row.join('  ').trimEnd()}\n`);
}

function sayVerdict({ name, text, slowestHealthMs, isHeld }: Verdict): void {
  const health = slowestHealthMs === null ? 'died' : `${slowestHealthMs.toFixed(0)} ms`;
  say(isHeld ? 'held' : 'FAILED', health, name, text);
}

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

say('verdict', '/healthz', 'attack', 'answer');
let held = 0;
for await (const verdict of runAttacks(attacks, interrupted.signal)) {
  sayVerdict(verdict);
  held += verdict.isHeld ? 1 : 0;
}
process.stdout.write(`${held} of ${attacks.length} held\n`);
process.exitCode = held === attacks.length ? 0 : 1;
