import vscode = require('vscode');

import { isObject } from '../../base/json';
import { keepIn } from '../../editor/storage';
import type { ServerSet } from '../../host';
import type { ServerDefinition } from '../../host/definition';
import { Flow, type FlowSettings, type FlowStore, type KeptMarks, type KeptReads } from './core/flow';

/** Creates the tracking of what models read and send: the entry point of its own bundle. */
export function dataFlow(
  context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>,
  servers: Pick<ServerSet, 'get'>,
): Flow {
  return new Flow(new FlowStorage(context), flowSettings, id => servers.get(id));
}

/** Settings for data flow. Only the person can turn the tracking off; any settings can add marks. */
function flowSettings(): FlowSettings {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  return {
    isOn: settings.get('flow') !== 'off',
    added: ({ name, source }) => {
      const folder = source.folder && vscode.Uri.file(source.folder.path);
      const found = vscode.workspace.getConfiguration('mcpHost', folder).inspect('flowMarks');
      const values: unknown[] = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
      return values.flatMap(value => {
        const marks: unknown = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
        return Array.isArray(marks) ? marks : [];
      });
    },
  };
}

const FLOW_KEY = 'mcpHost.flow';
const READS_KEY = 'mcpHost.flowReads';

/** Stores the marks of servers: for the person's servers everywhere, for a workspace's in that workspace. */
export class FlowStorage implements FlowStore {
  constructor(private readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {}

  get(server: ServerDefinition): unknown {
    return this.#all(server)[server.id];
  }

  async set(server: ServerDefinition, marks: KeptMarks | undefined): Promise<void> {
    const { [server.id]: _before, ...others } = this.#all(server);
    const all = { ...others, ...(marks && { [server.id]: marks }) };
    await keepIn(this.#memento(server), FLOW_KEY, Object.keys(all).length > 0 ? all : undefined);
  }

  get keptReads(): unknown {
    return this.context.workspaceState.get(READS_KEY);
  }

  keepReads(reads: readonly KeptReads[]): void {
    void this.context.workspaceState.update(READS_KEY, reads);
  }

  #all(server: ServerDefinition): Record<string, unknown> {
    const stored = this.#memento(server).get<unknown>(FLOW_KEY);
    return typeof stored === 'object' && stored !== null ? { ...stored } : {};
  }

  #memento({ source }: ServerDefinition): vscode.Memento {
    return source.scope === 'user' ? this.context.globalState : this.context.workspaceState;
  }
}
