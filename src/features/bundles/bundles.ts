import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { indentedJson, isObject } from '../../base/json';
import { formatSize } from '../../base/numberText';
import { PhraseError } from '../../base/phrase';
import { exact, visible } from '../../base/text';
import { withProgress } from '../../editor/dialogs';
import { errorText, localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import { findProgram } from '../../host/launch';
import { askWhole } from '../review';
import { freeId } from '../settings';
import type { AskedForm, FormAnswer } from '../tools';
import {
  type BundleServer,
  bundleEntry,
  type ConfigValues,
  configForm,
  KEPT,
  personsFolders,
} from './core/bundleEntry';
import { BundleError } from './core/bundleError';
import { type InspectedBundle, inspectBundle } from './core/bundleFile';
import { BUNDLES, bundleOf } from './core/bundleFolders';
import { type BundleRecord, BundleStore } from './core/bundleStore';
import { downloadBundle } from './core/downloadBundle';
import { type BundleManifest, isOlder, launchLine, manifestChanges } from './core/manifest';
import type { SignatureState } from './core/signature';

import vscode = require('vscode');

interface BundleServices {
  readonly storage: string;
  readonly askForm: (form: AskedForm) => Promise<FormAnswer>;
  readonly shellPath: () => Promise<string | undefined>;
}

/** Where a bundle comes from: a path, or the address of a file. */
export interface BundleSource {
  readonly place: string;
  /** What a registry says it has. */
  readonly sha256?: string;
}

/** A server of the person that runs an earlier version of a bundle. */
interface EarlierServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly record: BundleRecord;
  readonly before: BundleManifest | undefined;
}

/** What the person's servers have to do with a bundle. */
interface Relatives {
  readonly earlier: EarlierServer | undefined;
  /** Notes about servers that run a bundle of its name by another author. */
  readonly others: readonly string[];
}

export interface ChosenBundle extends BundleServer {
  readonly name: string;
  /** The name of the folder that it is unpacked into. */
  readonly folder: string;
  /** The server whose entry it takes the place of. */
  readonly replaces: EarlierServer | undefined;
}

interface Existing {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly inputs: readonly unknown[];
}

/** Opens bundles, has them reviewed and configured, and unpacks them. What comes of one is added like any other server. */
export class Bundles {
  readonly #store: BundleStore;
  /** What was unpacked and may not be used in the end. */
  readonly #added: string[] = [];

  constructor(private readonly services: BundleServices) {
    this.#store = new BundleStore(join(services.storage, BUNDLES));
  }

  /**
   * Has a bundle reviewed and configured, and unpacks it. Nothing of it runs.
   * @param existing what the person's settings have: one of the servers may be replaced.
   * @returns undefined if the person cancelled.
   */
  async choose({ place, sha256 }: BundleSource, existing: Existing): Promise<ChosenBundle | undefined> {
    const shown = visible(place, 200);
    let downloaded: string | undefined;
    let inspected: InspectedBundle | undefined;
    try {
      inspected = await withProgress(t('Opening the bundle {0}…', shown), async signal => {
        if (!/^https?:/i.test(place)) return inspectBundle(place, { signal, sha256 });
        downloaded = await this.#store.draft('.mcpb');
        await downloadBundle(place, downloaded, signal);
        return inspectBundle(downloaded, { signal, sha256 });
      });
      return inspected && (await this.#install(inspected, place, existing));
    } catch (error) {
      throw new Error(failure(shown, error));
    } finally {
      await inspected?.file.close();
      if (downloaded) await rm(downloaded, { force: true });
    }
  }

  /** A server came of what was unpacked last. Settings that were just written are not always read yet. */
  keep(): void {
    this.#added.pop();
  }

  /** Removes what was unpacked if no server came of it. */
  async tidy(): Promise<void> {
    for (const folder of this.#added.splice(0)) await this.removeUnused(folder).catch(() => undefined);
  }

  /** The unpacked bundle that an entry runs. */
  of(entry: unknown): string | undefined {
    return bundleOf(entry, this.#store.folder);
  }

  /** Removes an unpacked bundle, unless a server uses it. @param former the one that did, until just now. */
  async removeUnused(folder: string, former?: string): Promise<void> {
    const entries = configured().filter(([name]) => name !== former);
    const isUsed = entries.some(([, entry]) => bundleOf(entry, this.#store.folder) === folder);
    if (!isUsed) await this.#store.remove(folder);
  }

  async #install(bundle: InspectedBundle, place: string, existing: Existing): Promise<ChosenBundle | undefined> {
    const { manifest } = bundle;
    const relatives = await this.#relatives(manifest, existing);
    const answer = await this.#review(bundle, place, relatives);
    if (answer === undefined) return undefined;
    const replaces = answer === 'replace' ? relatives.earlier : undefined;
    const inputIdOf = inputIds(manifest, existing, replaces);
    const values = await this.#configure(manifest, replaces, key => inputIdOf(key).isKept);
    if (!values) return undefined;
    const title = t('Unpacking the bundle {0}…', visible(manifest.title, 60));
    const secret = new Set(manifest.options.filter(({ isSensitive }) => isSensitive).map(({ key }) => key));
    const open = Object.fromEntries(Object.entries(values).filter(([key]) => !secret.has(key)));
    const folder = await withProgress(title, signal => this.#store.add(bundle, signal, open));
    if (folder === undefined) return undefined;
    const name = basename(folder);
    this.#added.push(name);
    const where = { folder, values, inputIdOf: (key: string) => inputIdOf(key).id };
    return { ...bundleEntry(manifest, where, await this.#machine()), name: manifest.name, folder: name, replaces };
  }

  /** The first server that runs another version of the bundle, or this one, and what else has its name. */
  async #relatives(manifest: BundleManifest, { servers }: Existing): Promise<Relatives> {
    let earlier: EarlierServer | undefined;
    const others: string[] = [];
    for (const [name, entry] of Object.entries(servers)) {
      const folder = bundleOf(entry, this.#store.folder);
      const relation = folder === undefined ? undefined : await this.#store.relation(folder, manifest);
      if (folder === undefined || !relation) continue;
      if ('record' in relation) earlier ??= { name, entry: entry as EarlierServer['entry'], folder, ...relation };
      else
        others.push(
          t(
            '⚠ The server "{0}" runs a bundle of this name by another author: {1}',
            visible(name, 60),
            visible(relation.otherAuthor, 100),
          ),
        );
    }
    return { earlier, others };
  }

  /** Shows all of the manifest. Undefined: the person does not want it. */
  async #review(
    bundle: InspectedBundle,
    place: string,
    { earlier, others }: Relatives,
  ): Promise<'add' | 'replace' | undefined> {
    const { manifest } = bundle;
    const title = visible(manifest.title, 60);
    const update = earlier && updateText(earlier, manifest.version);
    const add = update ? t('Add as Another Server') : t('Continue');
    const changes = earlier ? changeNotes(earlier.before, manifest, earlier.record.version) : [];
    const answer = await askWhole({
      title: t('Bundle {0}', title),
      question: t('Install the bundle "{0}"?', title),
      notes: [...others, ...changes, ...bundleNotes(bundle, place)],
      content: { json: indentedJson(manifest.json) },
      allow: [...(update ? [update] : []), add],
      others: [t('Cancel')],
    });
    return answer === add ? 'add' : answer !== undefined && answer === update ? 'replace' : undefined;
  }

  /** Asks for the values of its options. Undefined: the person cancelled. */
  async #configure(
    { options, title }: BundleManifest,
    replaces: EarlierServer | undefined,
    isKept: (key: string) => boolean,
  ): Promise<ConfigValues | undefined> {
    if (options.length === 0) return {};
    const folders = personsFolders(homedir(), process.platform);
    const kept = new Set(options.filter(({ isSensitive, key }) => isSensitive && isKept(key)).map(({ key }) => key));
    const { paths, ...form } = configForm(options, {
      folders,
      kept,
      ...(replaces && { earlier: replaces.record.values }),
    });
    const answer = await this.services.askForm({
      title: t('Bundle {0}', visible(title, 60)),
      heading: t('Options of the bundle "{0}"', visible(title, 60)),
      message: [
        form.secrets.length > 0 && t('Secrets are kept in secret storage, not in settings.'),
        kept.size > 0 && t('A secret that you leave empty stays as it is.'),
      ]
        .filter(Boolean)
        .join(' '),
      ...form,
      own: { submit: t('Continue'), cancel: t('Cancel'), browse: t('Browse…'), paths },
      warning: undefined,
      signal: new AbortController().signal,
      withdrawn: '',
    });
    if (answer.kind !== 'submit') return undefined;
    const keeps = [...kept].filter(key => answer.content[key] === undefined || answer.content[key] === '');
    return { ...answer.content, ...Object.fromEntries(keeps.map(key => [key, KEPT])) };
  }

  async #machine() {
    const path = await this.services.shellPath();
    const env = path === undefined ? process.env : { ...process.env, PATH: path };
    return {
      platform: process.platform,
      home: homedir(),
      hasProgram: (name: string) => findProgram(name, env, []) !== undefined,
    };
  }
}

/** The input of each secret option: that of the earlier server, or a new one. */
function inputIds({ name }: BundleManifest, { inputs }: Existing, replaces: EarlierServer | undefined) {
  const taken = new Set(inputs.filter(isObject).map(({ id }) => String(id)));
  const text = JSON.stringify(replaces?.entry ?? {});
  const known = new Set([...text.matchAll(/\$\{input:([^{}"]*)\}/g)].map(([, id = '']) => id));
  return (key: string) => {
    const base = freeId(`${name}-${key}`, new Set());
    const kept = [...known].find(
      id => id === base || (id.startsWith(`${base}-`) && /^\d+$/.test(id.slice(base.length + 1))),
    );
    return { id: kept ?? freeId(base, taken), isKept: kept !== undefined };
  };
}

function updateText({ name, record }: EarlierServer, version: string): string {
  const server = visible(name, 60);
  if (record.version === version) return t('Configure "{0}" Again', server);
  const [from, to] = [visible(record.version, 30), visible(version, 30)] as const;
  return isOlder(version, record.version)
    ? t('Replace "{0}" {1} with the Older {2}', server, from, to)
    : t('Update "{0}" from {1} to {2}', server, from, to);
}

/** Every entry in settings of this window, with its name. */
function configured(): [string, unknown][] {
  const folders = [undefined, ...(vscode.workspace.workspaceFolders ?? [])];
  return folders.flatMap(folder => {
    const found = vscode.workspace.getConfiguration('mcpHost', folder?.uri).inspect<object>('servers');
    const { globalValue, workspaceValue, workspaceFolderValue } = found ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].flatMap(servers => Object.entries(Object(servers)));
  });
}

function failure(shown: string, error: unknown): string {
  const what = verbatim('The bundle {0} was not installed: {1}.', shown, errorText(error, 400));
  if (error instanceof BundleError) return `${what} ${remedyOf(error)}`;
  return error instanceof PhraseError || (error as NodeJS.ErrnoException).code ? what : errorText(error);
}

function remedyOf({ code }: BundleError): string {
  const getAgain = t('Get the file again from its publisher.');
  const remedies: Partial<Record<typeof code, string>> = {
    UNREACHABLE: t('Check the address and your connection, then try again.'),
    BROKEN: getAgain,
    CHANGED: getAgain,
    CHECKSUM: t('Do not use the file. Report it to the registry or the publisher.'),
    PLATFORM: t('Look for a bundle for this system.'),
  };
  return remedies[code] ?? t('Only its publisher can correct that.');
}

/** What a person reads of a bundle above its manifest. */
function bundleNotes({ file, manifest }: InspectedBundle, from: string): string[] {
  const { title, version, author, description, launch, options, toolNames } = manifest;
  const files = file.entries.filter(({ isFolder }) => !isFolder).length;
  const asked = options.map(option => visible(option.title, 60)).join(', ');
  return [
    t('{0} {1}, by {2}', visible(title, 100), visible(version, 40), visible(author, 100)),
    visible(description, 500),
    t('From {0}', exact(from)),
    t('{0} files, {1} in all; packed {2}', files, formatSize(file.unpackedBytes), formatSize(file.bytes)),
    `SHA-256 ${file.sha256}`,
    signatureText(file.signature),
    launch ? t('Runs: {0}', launchLine(launch)) : t('Runs by uv'),
    asked && t('Asks for: {0}', asked),
    toolNames.length > 0 && t('Tools: {0}', visible(toolNames.join(', '), 500)),
  ].filter(note => typeof note === 'string' && note !== '') as string[];
}

/** What a person reads of an update before all else. @param before undefined: its manifest cannot be read any more. */
function changeNotes(before: BundleManifest | undefined, after: BundleManifest, version: string): string[] {
  const heading = t('Changed since {0}:', visible(version, 30));
  if (!before) return [heading, `• ${t('Not known, because the manifest of that version cannot be read.')}`];
  const changes = manifestChanges(before, after);
  if (changes.length === 0)
    return [t('It runs and asks for the same as {0}; its files may differ.', visible(version, 30))];
  return [heading, ...changes.map(change => `• ${localized(change)}`)];
}

function signatureText(signature: SignatureState): string {
  if (signature.kind === 'unreadable') return `⚠ ${t('It has a signature that cannot be read.')}`;
  if (signature.kind !== 'signed') return t('Not signed');
  return t(
    'Signed as {0}, by a certificate of {1} that is valid until {2}. Whether these are who they say is not checked.',
    visible(signature.publisher, 100),
    visible(signature.issuer, 100),
    visible(signature.validTo, 40),
  );
}
