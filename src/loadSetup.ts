import type * as vscode from 'vscode';
import type { Setup, SetupServices } from './editor/setup/setup';

/** What adds, imports and exports servers: a bundle of its own (esbuild.js), loaded with the first of these commands. */
export function setupCommands(context: vscode.ExtensionContext, services: SetupServices): Setup['commands'] {
  let loaded: Setup | undefined;
  const commands = () => {
    if (!loaded) {
      const { Setup } = require('./editor/setup/setup') as typeof import('./editor/setup/setup');
      loaded = new Setup(services);
      context.subscriptions.push(loaded);
    }
    return loaded.commands;
  };
  return {
    addServer: () => commands().addServer(),
    exportServers: () => commands().exportServers(),
    importServers: () => commands().importServers(),
  };
}
