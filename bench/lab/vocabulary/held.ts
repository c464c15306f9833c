import type { Vocabulary } from './vocabulary.ts';

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

export const HELD_VOCABULARY: Vocabulary = {
  syllables: words('aq ber cho dji eks fau gre hom ivo jett kli lun mab nyx orp pyr qua rho sturm tho ulv vey wim xan'),
  nouns: words(`
    tenant workspace document comment thread permission role token secret key vault snapshot backup volume node cluster
    job runner build artifact release branch pipeline queue worker crawler parser tokenizer embedding model prompt match
    player lobby score league wallet coin swap bid auction lot listing agent broker settlement clearing position margin
    exam course lesson grade student enrolment timetable bus tram stop fare gate visitor badge camera alarm door lamp`),
  verbs: words(`
    fetch query put patch delete acquire unlock execute dispatch enqueue drain rotate encrypt sign revoke compile deploy
    rank score join leave bid settle clear grade enrol open close arm tokenize embed`),
  suffixes: ['', '.prod', '-v2', 'Service', '_worker', '-core', '-bff', '-gw'],
  vendors: words('{}.cloud rest.{}.eu id.{}.app {}-api.example.org sms.{}.co {}.ai'),
  databases: words('pg-{} {}_primary cassandra-{} {}.dynamodb {}-oracle es-{}'),
  caches: words('valkey-{} {}_memo {}-hazelcast kv-{}'),
  queues: words('nats.{} {}.fifo sqs-{} {}_outbox rabbit.{}'),
  infoLines: [
    'ok op="{op}" dur={n}',
    '[{n}] {op} -> success',
    'finished call of {op} ({n} items)',
    'rpc {op} code=OK n={n}',
    '{op} answered, {n} rows',
  ],
  idleErrors: [
    'ERROR gossip: peer {n} suspect, ignored',
    'ERROR tls: session ticket {n} unknown',
    'ERROR quota reader returned null, assume default',
    'ERROR [watchdog] late tick by {n} us',
  ],
  errorLines: [
    'ERROR op="{op}" err="{reason}"',
    'ERROR panic recovered: {reason} [goroutine {n}]',
    'ERROR {op} -> failure {reason} ref {n}',
    'ERROR Exception in thread worker-{n}: {reason}',
  ],
};
