import type { Attributes, LogRecord } from '../../../core/telemetry.ts';
import { type Decoding, MalformedMessageError } from '../../decoded.ts';
import { decodeJsonLines, isMap } from '../../push/json-lines.ts';
import { nanosOf, type PushFormat, toPushedRecord } from '../../push/push-format.ts';

/** The bulk API of Elasticsearch and OpenSearch, as shippers of logs use it: an action and a document by turns. */
export const ELASTICSEARCH: PushFormat = {
  words: "Elasticsearch's bulk API (Filebeat, Fluent Bit, Logstash, Vector)",
  addresses: ['/_bulk', '/:index/_bulk'],
  decoderFor: () => {
    const done: Done[] = [];
    return { kind: 'logs', decode: (body) => decode(body, done), answer: () => answerDone(done) };
  },
  greetings: [
    { address: '', answer: greet },
    { address: '/', answer: greet },
    { address: '/_license', answer: () => toElastic({ license: { status: 'active', type: 'basic', uid: 'tocsin' } }) },
  ],
  setUp: ({ url, key }) => [
    {
      title: 'Filebeat: YAML',
      text: `output.elasticsearch:\n  hosts: ["${url}"]\n  username: tocsin\n  password: ${key}\nsetup.template.enabled: false\nsetup.ilm.enabled: false\n`,
    },
    {
      title: 'Vector: YAML',
      text: `sinks:\n  tocsin:\n    type: elasticsearch\n    inputs: ["*"]\n    api_version: v8\n    endpoints: ["${url}"]\n    auth: { strategy: basic, user: tocsin, password: ${key} }\n    healthcheck: { enabled: false }\n`,
    },
    {
      title: 'Try it',
      text: `printf '%s\\n' '{"create": {}}' '{"log.level": "error", "service.name": "my-service", "message": "a test of Tocsin"}' |\n  curl -X POST ${url}/_bulk -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/x-ndjson' --data-binary @-\n`,
    },
  ],
};

const ACTIONS = ['create', 'index', 'update', 'delete'] as const;
/** What was done with a document. */
interface Done {
  readonly action: (typeof ACTIONS)[number];
  readonly index: string;
}

function* decode(body: Uint8Array, done: Done[]): Decoding<LogRecord> {
  let waiting: Done | null = null;
  const decoded = yield* decodeJsonLines(body, (value) => {
    if (waiting === null) {
      waiting = actionIn(value);
      done.push(waiting);
      waiting = waiting.action === 'delete' ? null : waiting;
      return 'no record';
    }
    const { action } = waiting;
    waiting = null;
    const document = action === 'update' && isMap(value) ? value.doc : value;
    return isMap(document) ? toRecord(document) : null;
  });
  return decoded;
}

function actionIn(value: unknown): Done {
  const action = ACTIONS.find((each) => isMap(value) && isMap(value[each]));
  if (action === undefined) {
    throw new MalformedMessageError(`expected an action: one of ${ACTIONS.join(', ')}`);
  }
  const { _index: index } = (value as Readonly<Record<string, Attributes>>)[action] ?? {};
  return { action, index: typeof index === 'string' ? index : 'logs' };
}

function toRecord(document: Attributes): LogRecord {
  return toPushedRecord({ timeNanos: nanosOf(document['@timestamp']), body: document, attributes: {} });
}

/** Clients look for as many items as they sent. */
function answerDone(done: readonly Done[]): Response {
  const items = done.map(({ action, index }) => ({ [action]: { _index: index, _id: '', status: 201 } }));
  return toElastic({ took: 0, errors: false, items });
}

function greet(): Response {
  const version = { number: '8.17.0', build_flavor: 'default', lucene_version: '9.12.0' };
  return toElastic({ name: 'tocsin', cluster_name: 'tocsin', version, tagline: 'You Know, for Search' });
}

/** Elastic's clients check this header. */
function toElastic(body: object): Response {
  return Response.json(body, { headers: { 'x-elastic-product': 'Elasticsearch' } });
}
