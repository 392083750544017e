import assert from 'node:assert/strict';
import { EventReader } from '../../../../src/host/reading/eventReader';
import { EventRelay } from '../../../../src/host/transport/eventStreams';
import { plainAnswer } from '../../../../src/host/transport/postAnswer';

const many = `{"jsonrpc":"2.0","id":1,"result":{"content":[${'[],'.repeat(2_100_000)}0]}}`;
const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(1_100_000)}${']'.repeat(1_100_000)}}`;
const bytes = Number.POSITIVE_INFINITY;

const nothing = () => {};

describe('an answer that would take long to parse', () => {
  it('fails its request, with values by the million or levels by the thousand @postAnswer.long-to-parse', async () => {
    for (const text of [many, deep]) {
      const response = new Response(text, { headers: { 'content-type': 'application/json' } });
      const { signal } = new AbortController();
      const how = { received: nothing, leftOut: nothing, pass: nothing, inSession: false, signal };
      const answer = plainAnswer(response, { id: 1 }, { ...how, maxBytes: bytes, traffic: { received: 0, sent: 0 } });
      await assert.rejects(answer, { code: 'TOO_LARGE' });
    }
  });

  it('fails the stream of its request, and no other stream', async () => {
    for (const text of [many, deep]) {
      const leftOut: string[] = [];
      const listeners = { message: nothing, log: nothing, noise: nothing, wire: nothing };
      const relay = new EventRelay({ ...listeners, leftOut: said => leftOut.push(said) });
      const body = () => new Response(`data: ${text}\n\n`).body!;
      await assert.rejects(relay.read(body(), new EventReader(bytes), { id: 1 }), { code: 'TOO_LARGE' });
      await relay.read(body(), new EventReader(bytes), {});
      assert.deepEqual(leftOut, ['a message with too many values or levels']);
    }
  });
});
