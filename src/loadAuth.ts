import type * as vscode from 'vscode';
import type { Auth } from './editor/auth/auth';
import type { ServerSet } from './editor/servers/serverSet';
import type { AuthPort } from './host';

/** Sign-ins, a bundle of its own (esbuild.js) that the first remote server loads. */
export function authLoader(servers: () => ServerSet, context: vscode.ExtensionContext) {
  let loaded: Auth | undefined;
  const auth = (): Auth => {
    if (!loaded) {
      const { Auth } = require('./editor/auth/auth') as typeof import('./editor/auth/auth');
      loaded = new Auth(servers(), context);
      context.subscriptions.push(loaded);
    }
    return loaded;
  };
  const port: AuthPort = {
    read: (...of) => auth().read(...of),
    write: (...what) => auth().write(...what),
    alone: (...what) => auth().alone(...what),
    openRedirect: (...which) => auth().openRedirect(...which),
    authorize: (...request) => auth().authorize(...request),
  };
  const commands = {
    signIn: (argument?: unknown) => auth().signIn(argument),
    manageAccounts: () => auth().manageAccounts(),
    signOut: (argument?: unknown) => auth().signOut(argument),
  };
  return { auth, port, commands };
}
