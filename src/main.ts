import { isVerb } from './config/verbs.ts';
import { OperatorError } from './runtime/operator-error.ts';

const [verb, ...rest] = process.argv.slice(2);

/** Loads only what the command needs. */
async function run(): Promise<void> {
  if (verb === '--help' || verb === '-h') {
    const { helpText } = await import('./cli/help.ts');
    say([helpText()]);
    return;
  }
  if (isVerb(verb)) {
    const { runVerb } = await import('./cli/run-verb.ts');
    const { output, notice, hasFailed } = await runVerb(verb, rest, { env: process.env, now: () => new Date() });
    say([output]);
    process.stderr.write(notice === null ? '' : `${notice}\n`);
    process.exitCode = hasFailed ? 1 : 0;
    return;
  }
  say(['Starting   loading the program (longest the first time)']);
  const { runParts } = await import('./app/run-parts.ts');
  await runParts(process.argv.slice(2), process.env, say);
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  await run();
} catch (error) {
  if (!(error instanceof OperatorError)) {
    throw error;
  }
  const heading = isVerb(verb) ? `tocsin ${verb}:` : 'tocsin cannot start:';
  process.stderr.write(`${heading}\n${error.message.replace(/^/gm, '  ')}\n`);
  process.exitCode = error.exitCode;
}
