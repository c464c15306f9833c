#!/usr/bin/env node
import { existsSync } from 'node:fs';

const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`local-slack: Node ${OLDEST_NODE} or later is needed, this is ${process.version}.\n`);
  process.exitCode = 1;
} else {
  const { main } = await import(await program());
  await main(process.argv.slice(2));
}

/** The sources in the repository, which a package does not have. */
async function program() {
  if (!existsSync(new URL('../src', import.meta.url))) {
    return '../dist/cli.js';
  }
  const { register } = await import('tsx/esm/api');
  register(); // the sources are TypeScript
  return '../src/cli.ts';
}
