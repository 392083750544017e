import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { readBounded } from '../base/files';
import { isObject } from '../base/json';
import { resolveDefinitions } from '../host';
import type { ServerDefinition } from '../host/definition';

const MAX_SETTINGS = 5 * 1024 * 1024;

/** The servers of a settings file. Its folder, or that around `.vscode`, is the workspace. @throws as `readBounded` */
export async function definitionsIn(path: string): Promise<readonly ServerDefinition[]> {
  const value: unknown = parse(await readBounded(path, MAX_SETTINGS), [], { allowTrailingComma: true });
  const folder = dirname(resolve(path)).replace(/[\\/]\.vscode$/, '');
  const settings = isObject(value) ? value : {};
  return resolveDefinitions([
    {
      source: { scope: 'workspace' },
      value: settings['mcpHost.servers'] ?? settings.servers ?? settings.mcpServers,
      inputs: settings['mcpHost.inputs'] ?? settings.inputs,
      variables: {
        workspaceFolder: folder,
        workspaceFolders: [],
        userHome: homedir(),
        env: name => process.env[name],
        config: key => settings[key],
      },
    },
  ]).definitions;
}
