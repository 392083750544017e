import type { ServerDefinition } from '../definition/definition';

/** A program that runs servers, by the name of what has to be installed. */
export type Runtime = 'Node.js' | 'uv' | 'Docker' | 'Podman' | 'Python' | 'Bun' | 'Deno' | '.NET' | 'bubblewrap';

const RUNTIMES: readonly (readonly [RegExp, Runtime])[] = [
  [/^(node|npx|npm|pnpm|yarn)$/, 'Node.js'],
  [/^uvx?$/, 'uv'],
  [/^docker$/, 'Docker'],
  [/^podman$/, 'Podman'],
  [/^(python3?|py|pipx?)$/, 'Python'],
  [/^bunx?$/, 'Bun'],
  [/^deno$/, 'Deno'],
  [/^(dotnet|dnx)$/, '.NET'],
];

/** The runtime to install for a command, if known. */
export function runtimeOf(command: string): Runtime | undefined {
  const program = command.toLowerCase().replace(/\.(exe|cmd)$/, '');
  return RUNTIMES.find(([names]) => names.test(program))?.[1];
}

/** Whether settings configure a header with credentials, which rules out a sign-in. */
export function hasAuthorization(entry: ServerDefinition['entry']): boolean {
  const names = entry && entry.type !== 'stdio' ? Object.keys(entry.headers) : [];
  return names.some(name => name.toLowerCase() === 'authorization');
}
