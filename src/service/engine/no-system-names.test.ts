import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Names of systems that the engine was measured on: none may steer it. */
const NAMES = (
  'ts- hipster trainticket train-ticket boutique sockshop sock-shop petshop petsearch frontend front-end checkout ' +
  'currency recommendation catalogue productcatalog cart nezha lambda dynamodb rabbitmq queue-master shipping ' +
  'adservice emailservice'
).split(' ');

describe('the engine', () => {
  const files = globSync('src/service/engine/**/*.ts').filter((file) => !file.endsWith('.test.ts'));

  it.each(files)('has no rule by the name of a system in %s', (file) => {
    const text = readFileSync(file, 'utf8').toLowerCase();

    expect(NAMES.filter((name) => new RegExp(`(^|[^a-z])${name}`).test(text))).toEqual([]);
  });
});
