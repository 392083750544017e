import type * as vscode from 'vscode';
import type { CommandHandlers } from './editor/commands';
import type { Trace, TraceServices } from './editor/trace/trace';

/** The view of the protocol trace, a bundle of its own (esbuild.js): loaded with the first of its commands. */
export function traceCommands(
  services: () => Omit<TraceServices, 'extensionUri'>,
  { subscriptions, extensionUri }: vscode.ExtensionContext,
): Pick<CommandHandlers, 'showTrace' | 'openTraceFile'> {
  let loaded: Trace | undefined;
  const load = () => {
    if (!loaded) {
      const { Trace } = require('./editor/trace/trace') as typeof import('./editor/trace/trace');
      loaded = new Trace({ ...services(), extensionUri });
      subscriptions.push(loaded);
    }
    return loaded.commands;
  };
  return {
    showTrace: argument => load().showTrace(argument),
    openTraceFile: argument => load().openTraceFile(argument),
  };
}
