import { phrase } from '../../../base/phrase';
import type { Admission, ServerDefinition } from '../../../host/definition';
import { fetchedBy, namesInstaller, programsOf } from '../../../host/launch';
import type { ProgramEntry, ServerEntry } from '../../../host/settings';
import { namedTo, packagesOf } from './packageReference';

/**
 * Variables that keep package managers from running scripts of packages during installation: npm and pnpm (which reads its own
 * name since version 11), Yarn, uv and pip (which then accept no package that has to be built). Bun has no variable for it, and
 * a container engine runs none.
 */
const WITHOUT_SCRIPTS: Readonly<Record<string, string>> = {
  npm_config_ignore_scripts: 'true',
  pnpm_config_ignore_scripts: 'true',
  YARN_ENABLE_SCRIPTS: 'false',
  UV_NO_BUILD: '1',
  PIP_ONLY_BINARY: ':all:',
};
/** Variables that have a say in that. npm takes its own in any case. */
const HAS_A_SAY = /^(npm_config|pnpm_config|yarn|uv|pip)_.*(script|build|binary)/i;

/**
 * The entry with these variables, if it fetches packages. What a person's own entry says of them counts; an entry that a
 * workspace has a part in has no say, and is refused where it could undo them.
 */
export function unscripted({ fromWorkspace }: Pick<ServerDefinition, 'fromWorkspace'>, entry: ServerEntry): Admission {
  if (entry.type !== 'stdio' || !namesInstaller({ entry })) return { entry };
  if (fromWorkspace && !keepsVariables(entry))
    return {
      needs: 'needsTrust',
      reason: phrase('its command line could run the install scripts that "mcpHost.installScripts" skips'),
      remedy: phrase(
        'Run the package manager directly, without options about scripts and without "envFile", or allow install scripts in your user settings.',
      ),
    };
  const own = Object.entries(entry.env).filter(([name]) => !(fromWorkspace && HAS_A_SAY.test(name)));
  const said = new Set(own.map(([name]) => name.toLowerCase()));
  const added = Object.entries(WITHOUT_SCRIPTS).filter(([name]) => !said.has(name.toLowerCase()));
  return { entry: { ...entry, env: Object.fromEntries([...added, ...own]) } };
}

/** Options of package managers that run scripts or a shell. npm takes the beginning of a name for it: `--ignore-s=false`. */
const RUNS_SCRIPTS = /script|build|binary|pip-args|^--(no-)?ig|^-c$|^--(call|shell)/i;
const RUNS_NONE = /^--(ignore-scripts(=true)?|ignore-existing|no-build|only-binary)$/;

/** Whether the variables reach the package manager, and nothing undoes them: no shell, wrapper or option of its own. */
function keepsVariables({ command, args, envFile }: ProgramEntry): boolean {
  if (envFile !== undefined) return false;
  const chain = programsOf(command, args);
  if (!('programs' in chain)) return false;
  const { programs } = chain;
  const manager = programs.at(-1);
  const fetched = manager && fetchedBy(manager);
  // A program that mentions a package manager inherits them.
  if (!fetched) return programs.every(({ known }) => known?.kind === 'interpreter');
  // Windows starts `npx.cmd` by `cmd /c`.
  const isDirect = programs.length === 1 || (programs.length === 2 && programs[0]!.name === 'cmd');
  if (!isDirect) return false;
  const ecosystem = namedTo(fetched.runner);
  if (ecosystem === 'image') return true;
  // Their options are known, as far as they may stand before the package.
  const isKnown = ecosystem === undefined || packagesOf(command, args).length > 0;
  return (
    isKnown &&
    !args.some((text, index) => {
      const isOff = /^--ignore-scripts$/.test(text) && /^(false|0|null)$/.test(args[index + 1] ?? '');
      return isOff || (text.startsWith('-') && RUNS_SCRIPTS.test(text) && !RUNS_NONE.test(text));
    })
  );
}
