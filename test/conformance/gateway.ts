// The gateway as the suite for servers finds it: on a port of its own, as the suite knows neither sockets nor bearers.
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestGateway, target } from '../unit/gateway/testGateway';
import { fixture } from '../unit/host/testHost';

export interface ServedGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the fixture of the suite through the gateway. What comes is passed on as it is, with the bearer. */
export async function serveGateway(): Promise<ServedGateway> {
  const gateway = new TestGateway();
  await gateway.serve({ suite: fixture('suite') });
  const { headers, path, ...address } = gateway.address('suite');
  const front = http.createServer((request, response) => {
    const options = { ...target({ ...address, path, headers }), path, method: request.method, agent: false };
    const behind = http.request({ ...options, headers: { ...request.headers, ...headers } }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    behind.on('error', () => response.destroy());
    response.on('close', () => behind.destroy());
    request.pipe(behind);
  });
  await new Promise<void>(resolve => void front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`,
    close: async () => {
      front.closeAllConnections();
      front.close();
      await gateway.close();
    },
  };
}
