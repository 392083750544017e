import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject, type Json, type JsonObject, type Message } from '../raw/messages';
import { text } from '../raw/offer';
import type { RawSession } from '../raw/session';
import { type Flag, plain } from './flag';
import { everyField, secretForm } from './forms';

/** `URL_ELICITATION_REQUIRED` (spec 2025-11-25). */
const URL_REQUIRED = -32042;

const page = (url: string): JsonObject => ({ mode: 'url', message: 'Sign in to go on.', elicitationId: url, url });

const nameForm: JsonObject = {
  mode: 'form',
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string', title: 'Name' } } },
};

/** In place of a time: when the test says so, by the file that the environment has in `ELICIT_GO`. It is removed then. */
const WHEN_TOLD = -1;

async function passed(ms: number): Promise<void> {
  if (ms !== WHEN_TOLD) return delay(ms);
  const file = process.env.ELICIT_GO ?? '';
  while (!existsSync(file)) await delay(20);
  rmSync(file);
}

async function dieAfter(ms: number): Promise<void> {
  await passed(ms);
  process.exit(1);
}

/** Calls of "ask" with nothing to fill in, for tests that go through the palette. */
const presets: Readonly<Record<string, JsonObject>> = {
  'ask-everything': { params: everyField },
  'ask-secret': { params: secretForm },
  'ask-then-cancel': { params: secretForm, cancelAfterMs: WHEN_TOLD },
  'ask-then-die': { params: secretForm, dieAfterMs: WHEN_TOLD },
  'ask-page': { params: page('https://github.com@раураӏ.com:8443/login?next=%2Fsettings') },
  'ask-form-then-page': { params: nameForm, next: page('https://example.com/after') },
  'ask-required-page': { params: page('http://localhost:1/required'), required: true, completeAfterMs: WHEN_TOLD },
};

/** In the modern era each request says which version it speaks. */
const isModern = ({ params }: Message) =>
  isObject(params?._meta) && 'io.modelcontextprotocol/protocolVersion' in params._meta;

const answered = (answers: Json[]) => text(JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2));

/**
 * Asks the person for what the arguments of a call say, as many times at once as `times`, then for what `next` says; answers
 * with what came back last. The questions that are left when all but `cancelLast` are answered are cancelled.
 */
class Asking {
  #last = 0;
  readonly #open = new Map<string, (answer: Json) => void>();
  /** Calls that were refused until a page was visited. */
  readonly #refused = new Set<string>();

  take(message: Message, session: RawSession): 'handled' | undefined {
    const settle = this.#open.get(String(message.id));
    if (message.method === undefined && settle) {
      this.#open.delete(String(message.id));
      settle((message.result ?? (message.error as unknown as Json)) || null);
      return 'handled';
    }
    const name = String(message.params?.name);
    if (message.method !== 'tools/call' || (name !== 'ask' && !Object.hasOwn(presets, name))) return undefined;
    const given = presets[name] ?? message.params?.arguments;
    const args = isObject(given) ? given : {};
    if (isModern(message)) this.#round(message, session, args);
    else void this.#call(message, session, args);
    return 'handled';
  }

  /**
   * In the modern era a server sends no requests: a call is answered with what is asked, and made again with the answers
   * (spec: basic/patterns/mrtr). Nobody is told there when a page is done, so it has no id.
   */
  #round(message: Message, session: RawSession, { params, next, times = 1, dieAfterMs }: JsonObject): void {
    const id = message.id ?? null;
    const { inputResponses, requestState } = message.params ?? {};
    const round = isObject(inputResponses) ? Number(requestState) : 0;
    const question = [params, next][round];
    if (!isObject(question)) {
      const result = answered(isObject(inputResponses) ? Object.values(inputResponses) : []);
      session.send({ jsonrpc: '2.0', id, result });
      return;
    }
    const { elicitationId: _, ...asked } = question;
    const requests = Array.from({ length: Number(times) }, (_, i): [string, JsonObject] => [
      `asked-${i}`,
      { method: 'elicitation/create', params: asked },
    ]);
    const inputRequests = Object.fromEntries(requests);
    const result = { resultType: 'input_required', inputRequests, requestState: String(round + 1) };
    session.send({ jsonrpc: '2.0', id, result });
    if (typeof dieAfterMs === 'number') void dieAfter(dieAfterMs);
  }

  async #call(message: Message, session: RawSession, args: JsonObject): Promise<void> {
    const { params, next, times = 1, cancelAfterMs, cancelLast, dieAfterMs, required, completeAfterMs } = args;
    const id = message.id ?? null;
    const asked = isObject(params) ? params : {};
    const complete = async () => {
      await passed(Number(completeAfterMs));
      session.notify('notifications/elicitation/complete', { elicitationId: asked.elicitationId ?? '' });
    };
    const key = JSON.stringify(asked);
    if (required && !this.#refused.has(key)) {
      this.#refused.add(key);
      const data = { elicitations: [asked] };
      session.send({ jsonrpc: '2.0', id, error: { code: URL_REQUIRED, message: 'visit a page first', data } });
      if (completeAfterMs !== undefined) await complete();
      return;
    }
    if (typeof dieAfterMs === 'number') void dieAfter(dieAfterMs);
    let left = Number(times);
    const ask = async () => {
      const answer = await this.#ask(session, asked, cancelAfterMs);
      if (--left === cancelLast) this.#cancelOpen(session);
      return answer;
    };
    let answers: Json[] = required ? ['done'] : await Promise.all(Array.from({ length: left }, ask));
    if (isObject(next)) answers = [await this.#ask(session, next, cancelAfterMs)];
    session.send({ jsonrpc: '2.0', id, result: answered(answers) });
    if (completeAfterMs !== undefined) await complete();
  }

  #ask(session: RawSession, params: JsonObject, cancelAfterMs: Json | undefined): Promise<Json> {
    const id = `ask-${++this.#last}`;
    return new Promise(resolve => {
      this.#open.set(id, resolve);
      session.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
      if (typeof cancelAfterMs !== 'number') return;
      void passed(cancelAfterMs).then(() => this.#cancel(session, id));
    });
  }

  #cancelOpen(session: RawSession): void {
    for (const id of [...this.#open.keys()]) this.#cancel(session, id);
  }

  #cancel(session: RawSession, id: string): void {
    session.notify('notifications/cancelled', { requestId: id, reason: 'no longer needed' });
    this.#open.get(id)?.('cancelled by the server');
  }
}

/** Questions to the person (spec: client/elicitation). */
export const elicitFlags: Readonly<Record<string, Flag>> = {
  elicit: plain('offer a tool "ask" that asks the person what its argument "params" says', ({ offer, incoming }) => {
    for (const name of ['ask', ...Object.keys(presets)])
      offer.tools.push({ definition: { name, inputSchema: { type: 'object' } }, call: () => text('unreachable') });
    const asking = new Asking();
    incoming.push((message, session) => asking.take(message, session));
  }),
};
