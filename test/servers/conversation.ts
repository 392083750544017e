import { isObject, type JsonObject, type Message, type RequestId } from './raw/messages';
import { type Fixture, fixturePath, startScript, waitFor } from './spawn';

/** A client without an SDK on a fixture's pipes: it says and sees exactly what goes over them. */
export class Conversation {
  private nextId = 1;

  constructor(readonly fixture: Fixture) {}

  /** Starts a stdio fixture by name. */
  static start(name: string, ...args: string[]): Conversation {
    return new Conversation(startScript(fixturePath(name), args));
  }

  /** The lines of stdout so far that are JSON-RPC messages. */
  get messages(): Message[] {
    return this.fixture.stdout.flatMap(line => {
      try {
        const value: unknown = JSON.parse(line);
        return isObject(value) && value.jsonrpc === '2.0' ? [value as unknown as Message] : [];
      } catch {
        return [];
      }
    });
  }

  /** The notifications so far of this method. */
  notifications(method: string): JsonObject[] {
    return this.messages.filter(m => m.method === method && m.id === undefined).map(m => m.params ?? {});
  }

  sendText(line: string): void {
    this.fixture.child.stdin?.write(`${line}\n`);
  }

  notify(method: string, params?: JsonObject): void {
    this.sendText(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a request and does not wait. */
  send(method: string, params?: JsonObject): RequestId {
    const id = this.nextId++;
    this.sendText(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return id;
  }

  /** The answer to a request, be it a result or an error. */
  answerTo(id: RequestId): Promise<Message> {
    return waitFor(() => this.messages.find(m => m.id === id && m.method === undefined), {
      what: () => `the answer to ${id}; stdout: ${this.fixture.stdout.join('\n')}`,
    });
  }

  request(method: string, params?: JsonObject): Promise<Message> {
    return this.answerTo(this.send(method, params));
  }

  /** The handshake of the legacy era. Returns the answer to `initialize`. */
  async initialize(capabilities: JsonObject = {}, protocolVersion = '2025-11-25'): Promise<Message> {
    const clientInfo = { name: 'conversation', version: '1.0.0' };
    const answer = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.notify('notifications/initialized');
    return answer;
  }

  stop(): Promise<void> {
    return this.fixture.stop();
  }
}
