import { runAttacks } from './attack.ts';
import { bombAttacks } from './attacks/bombs.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { correlationAttacks } from './attacks/correlation.ts';
import { floodAttacks } from './attacks/floods.ts';

/** Attacks a service of its own on loopback. `npm run attack -- correlation` runs the attacks whose name contains the word. */
const [word = ''] = process.argv.slice(2);
const attacks = [...connectionAttacks, ...bombAttacks, ...floodAttacks, ...correlationAttacks].filter(({ name }) =>
  name.includes(word),
);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

let held = 0;
for await (const { name, text, healthMs, isHeld } of runAttacks(attacks, interrupted.signal)) {
  const health = healthMs === null ? 'the service died' : `/healthz ${healthMs.toFixed(0)} ms`;
  process.stdout.write(`${isHeld ? 'held  ' : 'FAILED'}  ${name}: ${text.slice(0, 200)}; ${health}\n`);
  held += isHeld ? 1 : 0;
}
process.stdout.write(`${held} of ${attacks.length} held\n`);
process.exitCode = held === attacks.length ? 0 : 1;
