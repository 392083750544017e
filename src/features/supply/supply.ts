import { homedir } from 'node:os';
import { workspace } from 'vscode';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { withProgress } from '../../editor/dialogs';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { isContainerEngine, programName } from '../../host/launch';
import type { Problem, ProgramEntry, ServerEntry } from '../../host/settings';
import { type EditableFiles, editSettings } from '../settings';
import { floatingOf, type PackageReference, packagesOf, pinEntry } from './core/packageReference';
import { type Asking, cachedPackage, imageDigest, registryVersion, runningPackage } from './localPackages';

export { unscripted } from './core/installScripts';
export { fetchedVersions } from './localPackages';

/** The hints for an entry whose packages have no fixed version, each at the word that names one. */
export function hintsOf({ name, definition: { entry } }: ServerConnection): Problem[] {
  if (entry?.type !== 'stdio') return [];
  return floatingOf(entry.command, entry.args).map(({ name: wanted, place }) => ({
    severity: 'hint',
    path: place.argument < 0 ? [name, 'command'] : [name, 'args', place.argument],
    message: phrase(
      '{0} is not pinned to a version, so each start may fetch and run a different one.',
      visible(wanted, 200),
    ),
    code: 'floatingVersion',
  }));
}

/** One line on what a server fetches when it starts. Undefined: nothing. */
export function fetchText({ definition: { entry } }: ServerConnection): string | undefined {
  const packages = entry?.type === 'stdio' ? packagesOf(entry.command, entry.args) : [];
  const text = packages.map(nameText).join(', ');
  if (packages.length === 0) return undefined;
  return packages.some(({ pin }) => pin !== 'exact')
    ? t('Fetched at each start, without a fixed version: {0}', text)
    : t('Fetched at the start: {0}', text);
}

/** A line for each package of a launch: name, version, the installed one, and the maker that it declares. */
export async function packageLines(entry: ServerEntry): Promise<string[]> {
  if (entry.type !== 'stdio') return [];
  const lines = packagesOf(entry.command, entry.args).map(async one => {
    const loose =
      one.pin === 'floating'
        ? t('{0}, without a fixed version', nameText(one))
        : t('{0}, from no registry', nameText(one));
    const line = one.pin === 'exact' ? nameText(one) : loose;
    const local = await cachedPackage(one, entry.env);
    if (!local) return [line];
    const version = visible(local.version, 60);
    return local.publisher === undefined
      ? [line, t('  fetched before: {0}', version)]
      : [line, t('  fetched before: {0}, by {1} (so the package says)', version, visible(local.publisher, 100))];
  });
  return (await Promise.all(lines)).flat();
}

interface PinServices {
  readonly files: EditableFiles;
  readonly ports: Asking['ports'];
}

/** Pins a server's packages to what runs, else to what was fetched last; else the person's npm may ask the registry. */
export async function pinVersions({ files, ports }: PinServices, argument: unknown): Promise<void> {
  const server = (argument as { server?: ServerConnection } | undefined)?.server;
  const entry = server?.definition.entry;
  if (!server || entry?.type !== 'stdio') return;
  const floating = floatingOf(entry.command, entry.args);
  if (floating.length === 0) {
    void window.showInformationMessage(
      t('Everything that MCP server "{0}" fetches already has a fixed version.', server.name),
    );
    return;
  }
  const asking = (signal: AbortSignal): Asking => ({
    definition: server.definition,
    ports,
    entryEnv: entry.env,
    // Where the runner looks for its configuration, too.
    cwd: (workspace.isTrusted && !server.definition.place.inOwnFolder && entry.cwd) || homedir(),
    signal,
  });
  const versions = new Map<string, string>();
  for (const one of floating) {
    const version = await versionOf(server, entry, one, asking);
    if (version === undefined) return;
    versions.set(one.name, version);
  }
  const { name, source } = server.definition;
  const change = await editSettings(files, source, (text, options) => pinEntry(text, name, versions, options));
  const said = [...versions].map(([one, version]) => `${visible(one, 100)} ${visible(version, 80)}`).join(', ');
  const byHand = t(
    'The settings entry of MCP server "{0}" could not be changed. Write it there yourself: {1}',
    name,
    said,
  );
  if (change) void window.showInformationMessage(t('MCP server "{0}" is pinned: {1}', name, said));
  else void window.showWarningMessage(byHand);
}

/** Finds the version; undefined if unknown, which the person has been shown. */
async function versionOf(
  server: ServerConnection,
  entry: ProgramEntry,
  wanted: PackageReference,
  asking: (signal: AbortSignal) => Asking,
): Promise<string | undefined> {
  const { state } = server;
  const title = t('Looking for the version of {0}…', visible(wanted.name, 100));
  /** Empty: it is not known. Undefined: the person has been told what went wrong. */
  const look = async (find: (asked: Asking) => Promise<string | undefined>) => {
    try {
      return await withProgress(title, async signal => (await find(asking(signal))) ?? '');
    } catch (error) {
      const said = visible(errorText(error, 1_000), 300);
      await tell(t('The version of {0} could not be determined: {1}', wanted.name, said));
      return undefined;
    }
  };
  if (wanted.ecosystem === 'image') {
    const engine = [entry.command, ...entry.args].map(programName).find(isContainerEngine);
    const digest = await look(asked => imageDigest(engine ?? 'docker', wanted, asked));
    if (digest === '')
      await tell(t('No digest of {0} is known on this machine. Start the server, then try again.', wanted.name));
    return digest || undefined;
  }
  const pid = state.kind === 'ready' ? state.pid : undefined;
  const found = (pid !== undefined && (await runningPackage(wanted, pid))) || (await cachedPackage(wanted, entry.env));
  if (found) return found.version;
  const unknown = t('Which version of {0} runs is not known. Start the server, then try again.', wanted.name);
  if (wanted.ecosystem !== 'npm') return void (await tell(unknown));
  const ask = t('Ask the Registry');
  if ((await window.showWarningMessage(unknown, ask)) !== ask) return undefined;
  const newest = await look(asked => registryVersion(wanted, asked));
  if (newest === '') await tell(t('The registry names no version of {0}.', wanted.name));
  return newest || undefined;
}

async function tell(message: ReturnType<typeof t>): Promise<void> {
  await window.showWarningMessage(message);
}

const nameText = ({ name, version }: PackageReference): string => visible(version ? `${name} ${version}` : name, 200);
