import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/** What a name leads to: an IPv4 address, no such name, or no answer at all. */
export type NameRecord = { readonly address: string; readonly ttlSeconds: number } | 'unknown' | 'silent';

/** A real name server on loopback (RFC 1035), by UDP. */
export interface NameServer extends AsyncDisposable {
  /** For `Resolver.setServers`. */
  readonly address: string;
  /** The names of all questions for IPv4 addresses, repetitions included. */
  readonly questions: readonly string[];
}

export async function startNameServer(find: (name: string) => NameRecord): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(query);
    const type = query.readUInt16BE(end);
    if (type === TYPE_A) {
      questions.push(name);
    }
    const record = find(name);
    if (record !== 'silent') {
      socket.send(respond(query, end + 4, type, record), from.port, from.address);
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** The name in the question, which follows the header of 12 bytes. @returns the position after it too */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length !== 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function respond(query: Buffer, questionEnd: number, type: number, record: Exclude<NameRecord, 'silent'>): Buffer {
  const hasAnswer = record !== 'unknown' && type === TYPE_A;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | (record === 'unknown' ? NO_SUCH_NAME : 0), 2); // a response, recursion available
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  const question = query.subarray(12, questionEnd);
  return Buffer.concat([header, question, ...(hasAnswer ? [answerRecord(record.address, record.ttlSeconds)] : [])]);
}

function answerRecord(address: string, ttlSeconds: number): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0); // the name in the question
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4); // class IN
  record.writeUInt32BE(ttlSeconds, 6);
  record.writeUInt16BE(4, 10);
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))]);
}
