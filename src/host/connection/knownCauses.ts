import { existsSync } from 'node:fs';
import { type HostErrorOptions, messageOf } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { percentDecoded, visible } from '../../base/text';
import { nearestCommand, runtimeOf } from '../launch/knownPrograms';
import type { ProgramEntry } from '../settings';
import { foreignProgram } from './explainProgram';

interface Cause {
  readonly code: HostErrorOptions['code'];
  readonly reason: Phrase | string;
  readonly remedy: Phrase;
}

/** A pattern of a line of output, and the cause for which it stands, made of the groups of the pattern. */
type Row = readonly [says: RegExp, cause: (...parts: string[]) => Cause];

const CHECK_NAME = phrase('Check its name in "args" of the settings entry.');

const noPackage = (from: string, name: string): Cause => ({
  code: 'PACKAGE_NOT_FOUND',
  reason: phrase('{0} has no package {1}', from, visible(percentDecoded(name), 200)),
  remedy: CHECK_NAME,
});

const notRunning = (engine: string): Cause => ({
  code: 'EXITED',
  reason: phrase('{0} is not running', engine),
  remedy: phrase('Start {0}, then start the server again.', engine),
});

const portInUse = (port?: string): Cause => ({
  code: 'EXITED',
  reason: port ? phrase('port {0} is already in use', port) : phrase('its port is already in use'),
  remedy: phrase('End the program that uses it, or give the server another port.'),
});

const lacksCommand = (command: string): Cause => ({
  code: 'EXITED',
  reason: phrase('command not found: {0}', visible(command, 200)),
  remedy: phrase('Install it, or give its full path.'),
});

/** Causes that package managers, engines, runtimes and shells name in words of their own. */
const CAUSES: readonly Row[] = [
  [/^npm (?:ERR!|error) 404 .* GET \S*?\/((?:@[^/\s]+\/)?[^/\s]+)( |$)/, name => noPackage('npm', name!)],
  [/^npm (?:ERR!|error) notarget No matching version found for (\S+?)\.?$/, name => noPackage('npm', name!)],
  [
    /^npm (?:ERR!|error) could not determine executable to run/,
    () => ({ code: 'EXITED', reason: phrase('its package has no command that npx can run'), remedy: CHECK_NAME }),
  ],
  [
    /^npm (?:ERR!|error) .*request to (\S+) failed, reason: (.+)/,
    (url, why) => ({
      code: 'EXITED',
      reason: phrase('npm could not reach {0} ({1})', visible(url!, 200), visible(why!, 100)),
      remedy: phrase('Check the network, and the proxy and the registry that npm uses.'),
    }),
  ],
  [/\bBecause (\S+) was not found in the package registry/, name => noPackage('PyPI', name!)],
  [/\bBecause there is no version of (\S+?),? /, name => noPackage('PyPI', name!)],
  [
    /permission denied while trying to connect to the docker/i,
    () => ({
      code: 'EXITED',
      reason: phrase('you have no permission to use Docker'),
      remedy: phrase('Add your user to the group "docker", then sign in to your computer again.'),
    }),
  ],
  [
    /cannot connect to the docker daemon|failed to connect to the docker API|docker daemon is not running|docker_engine|dockerDesktopLinuxEngine/i,
    () => notRunning('Docker'),
  ],
  [/cannot connect to podman|unable to connect to podman/i, () => notRunning('Podman')],
  [
    /\b(?:pull access denied for|manifest for) ([^\s,]+)/,
    image => ({
      code: 'PACKAGE_NOT_FOUND',
      reason: phrase('the image {0} does not exist, or is private', visible(image!, 200)),
      remedy: phrase('Check its name in "args" of the settings entry, or sign in with "docker login".'),
    }),
  ],
  [
    /\bNo module named '?([\w.-]+)'?/,
    name => ({
      code: 'NOT_INSTALLED',
      reason: phrase('the Python module {0} is not installed', visible(name!, 200)),
      remedy: phrase('Install it for the Python in "command", or let "command" be the Python of its environment.'),
    }),
  ],
  [/\bEADDRINUSE\b.*?(?::(\d+))?$/, port => portInUse(port)],
  [/\[Errno (?:48|98|10048)\].*?(?:', (\d+)\)|$)/, port => portInUse(port)],
  [/\b(?:address already in use|only one usage of each socket address)\b/i, () => portInUse()],
  [/^(?:\S+: )?(?:(?:line )?\d+: )?([^\s:]+): (?:command )?not found$/, command => lacksCommand(command!)],
  [/^env: ['‘]?([^\s'’:]+)['’]?: No such file or directory/, command => lacksCommand(command!)],
];

/** The cause that a program's telling line names, if it is a known one. */
export function knownCause(told: string): Cause | undefined {
  for (const [says, cause] of CAUSES) {
    const parts = says.exec(told);
    if (parts) return cause(...parts.slice(1));
  }
  return undefined;
}

/** Explains that a program could not be launched. @param code that of the system's error. */
export function explainLaunch(code: string, error: unknown, entry: ProgramEntry): Cause {
  if (code === 'ENOENT' && entry.cwd !== undefined && !existsSync(entry.cwd)) {
    return {
      code: 'FOLDER_NOT_FOUND',
      reason: phrase('working folder not found: {0}', entry.cwd),
      remedy: phrase('Create the folder, or correct "cwd" in its settings entry.'),
    };
  }
  if (code === 'ENOEXEC') return foreignProgram(entry.command);
  const remedy = installHint(entry.command);
  if (code === 'ENOENT') {
    const meant = nearestCommand(entry.command);
    const reason = meant
      ? phrase('command not found: {0}; did you mean "{1}"?', entry.command, meant)
      : phrase('command not found: {0}', entry.command);
    return { code: 'COMMAND_NOT_FOUND', reason, remedy };
  }
  const reason =
    code === 'EACCES' ? phrase('there is no permission to run the command "{0}"', entry.command) : messageOf(error);
  return { code: 'SPAWN_FAILED', reason, remedy };
}

function installHint(command: string): Phrase {
  const check = /^(?:[\\/]|[a-z]:)/i.test(command)
    ? phrase('Check the path in "command" of its settings entry.')
    : phrase('Check "command" (a full path always works) and "cwd" in its settings entry.');
  const tool = runtimeOf(command);
  return tool === undefined ? check : phrase('Install {0}, which provides it. {1}', tool, check);
}
