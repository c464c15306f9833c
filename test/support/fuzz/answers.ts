import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Problem } from '../../../src/contract/problem.ts';
import { STATUS_BY_CODE } from '../../../src/service/http/problem.ts';
import { type Description, isAt, listOperations, type Operation } from './operations.ts';
import type { FuzzRequest, KeyKind } from './requests.ts';

const NO_KEY: readonly KeyKind[] = ['none', 'wrong', 'malformed', 'revoked'];
const DOCUMENT = 'https://tocsin.test/openapi.json';

/** @returns a function that says what is wrong with an answer; an empty list: nothing */
export function createAnswerCheck(
  description: Description,
): (request: FuzzRequest, answer: Response) => Promise<string[]> {
  const operations = listOperations(description);
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema(description, DOCUMENT);
  const compiled = new Map<object, ValidateFunction>();

  /** Empty when the text has the schema. */
  function describeMismatch(schema: object, text: string): string[] {
    const validate = compiled.get(schema) ?? ajv.compile(withDocument(schema));
    compiled.set(schema, validate);
    const value = parseJson(text);
    return validate(value) ? [] : [`violates its schema: ${ajv.errorsText(validate.errors)}`];
  }

  function checkDocumented(operation: Operation, status: number, type: string, text: string): string[] {
    const documented = operation.responses[status] ?? operation.responses[`${Math.floor(status / 100)}XX`];
    if (documented === undefined) {
      return [`status ${status} is not documented`];
    }
    const { content = {} } = documented;
    if (text === '') {
      return [];
    }
    const schema = content[type]?.schema;
    if (schema === undefined) {
      return [`media type "${type}" is not documented`];
    }
    return type.endsWith('json') ? describeMismatch(schema, text) : [];
  }

  return async (request, answer) => {
    const { status, headers } = answer;
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const isStream = type === 'text/event-stream';
    const text = isStream ? '' : await answer.text();
    await (isStream ? answer.body?.cancel() : undefined);
    const { pathname } = new URL(request.target, DOCUMENT);
    const here = operations.filter(({ path }) => isAt(path, pathname));
    const operation = here.find(({ method }) => method === request.method.replace('HEAD', 'GET'));
    const withoutSlash = pathname.replace(/\/$/, ''); // senders may end the address with one
    const isOwnFormat = operations.some(({ id, path }) => OWN_FORMAT.test(id) && isAt(path, withoutSlash));
    return [
      ...(status >= 500 && !(status === 503 && headers.has('retry-after')) ? [`answers ${status}`] : []),
      ...(operation === undefined || status === 405 ? [] : checkDocumented(operation, status, type, text)),
      ...(status >= 400 && !isOwnFormat && request.method !== 'HEAD' ? describeNoProblem(status, type, text) : []),
      ...checkKey(request, operation, status),
    ];
  };
}

/** Operations that answer errors as their protocol says. */
const OWN_FORMAT = /^(sendTraces|sendLogs|sendMetrics|enqueueEvent)$/;

/** Lets `#/components/…` inside a schema refer to the document. */
function withDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${DOCUMENT}#/`));
}

function describeNoProblem(status: number, type: string, text: string): string[] {
  const problem = Problem.safeParse(parseJson(text));
  if (type !== 'application/problem+json' || !problem.success) {
    return [`${status} is no problem`];
  }
  const { code = '' } = problem.data;
  const known = Object.entries(STATUS_BY_CODE).find(([name]) => name === code)?.[1];
  return known === status && problem.data.status === status ? [] : [`${status} has code "${code}"`];
}

/** Rules of keys, on top of the documented statuses. A request may carry a second key in its headers or body. */
function checkKey({ key, headers }: FuzzRequest, operation: Operation | undefined, status: number): string[] {
  if (operation === undefined || operation.isPublic || 'authorization' in headers || status >= 400) {
    return [];
  }
  const isIngest = operation.id.startsWith('send');
  const isAllowed =
    key === 'read-write' || (key === 'ingest' && isIngest) || (key === 'read-only' && operation.method === 'GET');
  return isAllowed && !NO_KEY.includes(key) ? [] : [`a key of kind "${key}" may ${operation.id}`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
