import vscode = require('vscode');

import { type RowText, rowText, visible } from '../../base/text';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { BundleSource } from '../bundles';
import { RegistryClient, type RegistryError, type RegistryServer } from './core/registryClient';
import { canAdd, choicesOf, type RegistryChoice } from './core/registryServer';
import type { ServerDraft } from './core/serverDraft';
import { kindIcon, kindLabel, registryFailure } from './galleryTexts';
import { BACK, ended, pickMany, pickOne, prepare, runSteps, type StepEnd, type WizardAnswer } from './wizard';

/** The pause in typing after which the registry is queried. */
const QUIET_MS = 300;

interface RegistryOptions {
  query?: string;
  bundle: (source: BundleSource, take: (draft: ServerDraft) => void) => Promise<StepEnd>;
}

type Row = PlainRow & { server?: RegistryServer; more?: true; back?: true };

/** The registry in settings. Undefined: the search is turned off. */
export function registryUrl(): string | undefined {
  const url: unknown = vscode.workspace.getConfiguration('mcpHost').get('registry.url');
  return typeof url === 'string' && url.trim() !== '' ? url.trim() : undefined;
}

/**
 * Finds a server in the MCP Registry: which, in which version, run how, with which of its optional settings.
 * @param options what it is searched for at first, and what installs a bundle.
 */
export async function chooseFromRegistry(
  url: string,
  title: string,
  take: (draft: ServerDraft) => void,
  { query = '', bundle }: RegistryOptions,
): Promise<StepEnd> {
  const client = new RegistryClient(url);
  let found: RegistryServer | undefined;
  let choice: RegistryChoice | undefined;
  let typed = query;
  return runSteps(
    [
      async () => {
        const answer = await search(client, title, typed, value => {
          typed = value;
        });
        if (answer === BACK) return 'back';
        found = answer;
        return answer && 'next';
      },
      async () => {
        const answer = await chooseWay(client, found!, title);
        if (answer === BACK) return 'back';
        choice = answer;
        return answer && 'next';
      },
      () => chooseOptional(choice!, { title, take, bundle }),
    ],
    true,
  );
}

interface ChosenWay {
  title: string;
  take: (draft: ServerDraft) => void;
  bundle: RegistryOptions['bundle'];
}

/** Asks which optional settings of a server to set, if it has any; has a bundle installed. */
export async function chooseOptional(
  { optional, build, bundle: source }: RegistryChoice,
  { title, take, bundle }: ChosenWay,
): Promise<StepEnd> {
  if (source) return bundle(source, take);
  if (optional.length === 0) {
    take(build!(new Set()));
    return 'skip';
  }
  const items = optional.map(({ name, description }) => ({
    label: rowText(name),
    detail: rowText(description),
    name,
  }));
  const placeholder = t('Which optional settings do you want to set?');
  const chosen = await pickMany({ title, placeholder, items, canGoBack: true });
  if (chosen === BACK) return 'back';
  if (chosen) take(build!(new Set(chosen.map(({ name }) => name))));
  return chosen && 'next';
}

/** A list that searches the registry for what is typed. */
function search(
  client: RegistryClient,
  title: string,
  typed: string,
  onType: (text: string) => void,
): Promise<WizardAnswer<RegistryServer>> {
  const pick = window.createQuickPick<Row>();
  prepare(pick, title, true);
  pick.placeholder = t('Search the MCP Registry by name');
  pick.value = typed;
  // The registry has already searched: show everything that it found, whichever part matches.
  pick.matchOnDescription = pick.matchOnDetail = true;
  let [shown, asked, timer]: [Row[], AbortController, NodeJS.Timeout | undefined] = [
    [],
    new AbortController(),
    undefined,
  ];
  const ask = async (before: Row[], cursor?: string) => {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    pick.busy = true;
    try {
      const page = await client.search(pick.value.trim(), cursor, signal);
      if (signal.aborted) return;
      shown = [...before, ...page.servers.filter(({ status }) => status !== 'deleted').map(rowOf)];
      const nothing = {
        label: t('Nothing found'),
        detail: t('The registry searches server names only.'),
        alwaysShow: true,
      };
      const more: Row = {
        iconPath: new vscode.ThemeIcon('ellipsis'),
        label: t('Load more'),
        alwaysShow: true,
        more: true,
      };
      next = page.cursor;
      pick.items = shown.length === 0 ? [nothing] : page.cursor ? [...shown, more] : shown;
      if (before.length > 0) pick.activeItems = pick.items.slice(before.length, before.length + 1);
    } catch (thrown) {
      if (signal.aborted) return;
      const { what, remedy } = registryFailure(thrown as RegistryError);
      const error: Row = { iconPath: new vscode.ThemeIcon('error'), label: what, detail: remedy, alwaysShow: true };
      const others = t('Other Ways to Add a Server');
      const back: Row = { iconPath: new vscode.ThemeIcon('arrow-left'), label: others, alwaysShow: true, back: true };
      pick.items = [...before, error, back];
    } finally {
      if (!signal.aborted) pick.busy = false;
    }
  };
  let next: string | undefined;
  void ask([]);
  return ended<RegistryServer>(pick, end => [
    pick.onDidChangeValue(value => {
      onType(value);
      // Until there is an answer, show the results so far that match.
      pick.items = shown.filter(({ server }) => server?.name.toLowerCase().includes(value.trim().toLowerCase()));
      clearTimeout(timer);
      timer = setTimeout(() => void ask([]), QUIET_MS);
    }),
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      if (row?.back) end(BACK);
      else if (row?.server) end(row.server);
      else if (row?.more && next) void ask(shown, next);
    }),
    {
      dispose: () => {
        clearTimeout(timer);
        asked.abort();
      },
    },
  ]);
}

function rowOf(server: RegistryServer): Row {
  const { name, title, description, version, status } = server;
  const old = status === 'deprecated' && t('deprecated');
  return {
    label: rowText(title ?? name, 80),
    description: joined<RowText>([rowText(title ? `${name} ${version}` : version, 120), old], ' · '),
    detail: rowText(description, 200),
    alwaysShow: true,
    server,
  };
}

type Way = PlainRow & { choice?: RegistryChoice; versions?: true };

/** Asks how to run or reach the server; other versions can be chosen from there. */
async function chooseWay(
  client: RegistryClient,
  server: RegistryServer,
  title: string,
): Promise<WizardAnswer<RegistryChoice>> {
  let version = server;
  for (;;) {
    const choices = choicesOf(version);
    const ways: Way[] = choices.map(choice => ({
      iconPath: new vscode.ThemeIcon(canAdd(choice) ? kindIcon(choice.kind) : 'circle-slash'),
      label: kindLabel(choice.kind),
      description: rowText(choice.what, 120),
      ...(!canAdd(choice) && { detail: t('This kind of server is not supported here.') }),
      ...(canAdd(choice) && { choice }),
    }));
    const items: Way[] = [
      ...(ways.length > 0 ? ways : [{ label: t('It does not say how to run or reach it.') }]),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        iconPath: new vscode.ThemeIcon('history'),
        label: t('Another Version…'),
        description: rowText(version.version),
        versions: true,
      },
    ];
    const placeholder = t('How do you want to use {0} {1}?', visible(version.name, 80), visible(version.version, 30));
    const answer = await pickOne({ title, placeholder, items, canGoBack: true });
    if (answer === BACK || !answer) return answer;
    if (answer.choice) return answer.choice;
    if (!answer.versions) continue;
    const other = await chooseVersion(client, version, title);
    if (!other) return undefined;
    if (other !== BACK) version = other;
  }
}

async function chooseVersion(
  client: RegistryClient,
  { name }: RegistryServer,
  title: string,
): Promise<WizardAnswer<RegistryServer>> {
  const cancel = new AbortController();
  const looking = {
    location: vscode.ProgressLocation.Notification,
    title: t('Searching the MCP Registry…'),
    cancellable: true,
  };
  try {
    const versions = await window.withProgress(looking, (_, token) => {
      token.onCancellationRequested(() => cancel.abort());
      return client.versions(name, cancel.signal);
    });
    const items = versions.map(server => ({
      label: rowText(server.version),
      description: rowText(server.status),
      server,
    }));
    const answer = await pickOne({ title, placeholder: t('Select a version'), items, canGoBack: true });
    return answer === BACK ? BACK : answer?.server;
  } catch (error) {
    if ((error as RegistryError).code === 'CANCELLED') return BACK;
    const { what, remedy } = registryFailure(error as RegistryError);
    throw new Error(`${what} ${remedy}`);
  }
}
