import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../src/contract/routes.ts';
import { createOpenApi } from '../../src/service/http/openapi.ts';

const Operation = z.object({
  summary: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
});
const Shape = z.object({ properties: z.record(z.string(), z.unknown()) });
const Body = z.union([
  Shape,
  z.object({ oneOf: z.tuple([Shape], z.unknown()) }).transform(({ oneOf: [first] }) => first),
]);
const Paths = z.record(z.string(), z.record(z.string(), Operation));

/** The first table below the heading. */
const TABLE = /(?<=^## Calls\n(?:(?!\|).*\n)*)(?:\|.*\n)+/m;

/** The fields of each JSON body, by method and path. */
const bodies = new Map(
  Object.values(routes).flatMap(({ method, path, body }): [string, string][] =>
    body === null ? [] : [[`${method} ${path}`, fieldsOf(body)]],
  ),
);

function fieldsOf(body: z.ZodType): string {
  const { properties } = Body.parse(z.toJSONSchema(body, { io: 'input' }));
  const names = Object.keys(properties).map((name) => `"${name}"`);
  return ` \`{${names.join(', ')}}\``;
}

function renderTable(): string {
  const calls = Object.entries(Paths.parse(createOpenApi('').paths)).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, parameters }]) => {
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `\`${name}\``);
      const call = `${method.toUpperCase()} ${path}`;
      return [`\`${call}\`${bodies.get(call) ?? ''}`, summary, query.join(', ')];
    }),
  );
  const rows = [['call', 'does', 'query'], ...calls];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  return [head, rule, ...body].join('');
}

it('docs/api.md has the calls of the contract; `vitest run test/contract/api-document.test.ts -u` updates them', async () => {
  const path = join(import.meta.dirname, '../../docs/api.md');
  const document = await readFile(path, 'utf8');

  expect(document).toMatch(TABLE);
  await expect(document.replace(TABLE, renderTable)).toMatchFileSnapshot(path);
});
