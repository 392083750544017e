import { fetchesAtStart, type ServerDefinition, type ServerEntry } from '../../../host';

/**
 * What keeps package managers from running scripts of packages while they install them: npm and pnpm (which reads its own name
 * since version 11), Yarn, uv and pip (which then take no package that has to be built). Bun knows no variable for it, and a
 * container engine runs none.
 */
const WITHOUT_SCRIPTS: Readonly<Record<string, string>> = {
  npm_config_ignore_scripts: 'true',
  pnpm_config_ignore_scripts: 'true',
  YARN_ENABLE_SCRIPTS: 'false',
  UV_NO_BUILD: '1',
  PIP_ONLY_BINARY: ':all:',
};

/**
 * The entry with these variables, if it fetches packages. What a person's own entry says of them counts; an entry that a
 * workspace has a part in has no say.
 */
export function unscripted(
  { fromWorkspace }: Pick<ServerDefinition, 'fromWorkspace'>,
  entry: ServerEntry,
): ServerEntry {
  if (entry.type !== 'stdio' || !fetchesAtStart({ entry })) return entry;
  const own = Object.entries(entry.env).filter(([name]) => !(fromWorkspace && isOneOf(name)));
  const said = new Set(own.map(([name]) => name.toLowerCase()));
  const added = Object.entries(WITHOUT_SCRIPTS).filter(([name]) => !said.has(name.toLowerCase()));
  return { ...entry, env: Object.fromEntries([...added, ...own]) };
}

/** npm takes its variables in any case. */
const isOneOf = (name: string) =>
  Object.keys(WITHOUT_SCRIPTS).some(one => one.toLowerCase() === name.toLowerCase().replaceAll('-', '_'));
