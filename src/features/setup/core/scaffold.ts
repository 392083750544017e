import { normalized } from '../../../base/normalized';
import { freeId } from '../../settings/core';

export type Language = 'typescript' | 'python';

export interface Scaffold {
  /** Path in the new folder, by the template below `media/newServer`. */
  readonly files: Readonly<Record<string, string>>;
  /** The file to open first. */
  readonly main: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly dev: { readonly watch: readonly string[]; readonly build?: string };
  /** The command to run once before the server can start; `dev.watch` names a file that shows its end. */
  readonly install?: string;
}

export const SCAFFOLDS: Readonly<Record<Language, Scaffold>> = {
  typescript: {
    files: {
      'typescript/package.json.txt': 'package.json',
      'typescript/tsconfig.json.txt': 'tsconfig.json',
      'typescript/gitignore.txt': '.gitignore',
      'typescript/server.ts.txt': 'src/server.ts',
      'server.mcptest.yaml.txt': 'server.mcptest.yaml',
    },
    main: 'src/server.ts',
    command: 'node',
    args: ['dist/server.js'],
    dev: { watch: ['src/**/*.ts', 'package-lock.json'], build: 'npm run build' },
    install: 'npm install',
  },
  python: {
    files: { 'python/server.py.txt': 'server.py', 'server.mcptest.yaml.txt': 'server.mcptest.yaml' },
    main: 'server.py',
    command: 'uv',
    args: ['run', '--script', 'server.py'],
    dev: { watch: ['**/*.py'] },
  },
};

/** A name for the server, its package and its entry, made of that of its folder. */
export function serverNameOf(folder: string, taken: readonly string[]): string {
  const plain = normalized(folder, 'NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 50);
  const name = plain === '' || plain === 'node-modules' ? 'my-server' : plain;
  return freeId(name, new Set(taken));
}

export function filledIn(template: string, name: string, { command, args }: Scaffold): string {
  return template
    .replaceAll('{{name}}', name)
    .replaceAll('{{command}}', command)
    .replaceAll('{{args}}', `[${args.join(', ')}]`);
}
