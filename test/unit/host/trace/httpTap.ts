import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf } from '../../../servers/raw/eventStream';

/** Stands between a host and an HTTP server, and notes the messages that pass: bodies in JSON, and the data of events. */
export class HttpTap {
  readonly sent: string[] = [];
  readonly received: string[] = [];
  readonly #server: Server;

  private constructor(private readonly port: number) {
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /** @param port of the server on this machine. */
  static async before(port: number): Promise<HttpTap> {
    const tap = new HttpTap(port);
    await once(tap.#server.listen(0, '127.0.0.1'), 'listening');
    return tap;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    if (incoming.method === 'POST') this.sent.push(body);
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: this.port, method, path, headers });
    onward.on('error', () => outgoing.destroy());
    onward.on('response', answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders();
      this.#note(answer);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  }

  #note(answer: IncomingMessage): void {
    const { 'content-type': type = '' } = answer.headers;
    let rest = '';
    answer.setEncoding('utf8');
    if (type.startsWith('application/json')) {
      answer.on('data', (chunk: string) => {
        rest += chunk;
      });
      answer.on('end', () => void this.received.push(rest));
    }
    if (!type.startsWith('text/event-stream')) return;
    answer.on('data', (chunk: string) => {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const lines = event.split('\n');
        if (lines.some(line => line.startsWith('event: ') && line !== 'event: message')) continue;
        const data = lines.flatMap(line => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
        if (data.length > 0) this.received.push(data.join('\n'));
      }
    });
  }
}
