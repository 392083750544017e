import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import vscode = require('vscode');

import { listen, localServer, onLoopback } from '../../base/localServer';
import { t } from '../../editor/window';
import type { Redirect } from '../../host/definition';

/**
 * Listens on a port of this machine, which only this machine reaches, for the answer to one sign-in. See `Redirects.open`.
 * Rejects if the wanted port can't be had.
 * @param wanted address with the port and path to use. Default: any port.
 * @param port to be used if it is free.
 */
export async function openLoopback(
  state: string,
  { wanted, port = 0 }: { wanted?: URL; port?: number },
): Promise<Redirect | undefined> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const path = wanted?.pathname ?? '/';
  const listener: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isAnswer = url.pathname === path && url.searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(isAnswer ? t('You can close this page and go back to the editor.') : '');
    if (isAnswer) resolve(url.searchParams);
  };
  const opened = async (on: number) => {
    const server = localServer(listener);
    await listen(server, onLoopback(on));
    return server;
  };
  const server = wanted ? await opened(Number(wanted.port || 80)) : await opened(port).catch(() => opened(0));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (wanted) return { uri: wanted.href, answer: promise, close };
  const { port: got } = server.address() as AddressInfo;
  const external = await vscode.env.asExternalUri(vscode.Uri.parse(`http://127.0.0.1:${got}/`));
  return { uri: external.toString(true), answer: promise, close };
}
