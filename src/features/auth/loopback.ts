import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import vscode = require('vscode');

import type { Redirect } from '../../host';

const { t } = vscode.l10n;

/** Listens on a port of this machine for the answer to one sign-in. See `Redirects.loopback`. */
export async function openLoopback(state: string, wanted?: URL): Promise<Redirect | undefined> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const path = wanted?.pathname ?? '/';
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isAnswer = url.pathname === path && url.searchParams.get('state') === state;
    response.writeHead(isAnswer ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(isAnswer ? t('You can close this page and go back to the editor.') : '');
    if (isAnswer) resolve(url.searchParams);
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(Number(wanted?.port ?? 0), '127.0.0.1', done);
  });
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (wanted) return { uri: wanted.href, answer: promise, close };
  const { port } = server.address() as AddressInfo;
  const external = await vscode.env.asExternalUri(vscode.Uri.parse(`http://127.0.0.1:${port}/`));
  return { uri: external.toString(true), answer: promise, close };
}
