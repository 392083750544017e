import type vscode = require('vscode');

import { visible } from '../../base/text';
import type { AddServer } from './addServer';
import type { BundleSetup } from './bundleSetup';
import { installedAs } from './core/installedAs';
import { planAddition } from './core/planAddition';
import type { RegistryChoice } from './core/registryServer';
import { Gallery } from './gallery';
import type { GalleryRegistry } from './galleryTexts';
import type { NewServerRules } from './newServerRules';
import { chooseOptional } from './registrySearch';
import type { SettingsWriter } from './settingsWriter';

interface SetupForGallery {
  readonly extensionUri: vscode.Uri;
  readonly writer: SettingsWriter;
  registry(): Promise<GalleryRegistry | undefined>;
  rules(): Promise<NewServerRules | undefined>;
  readonly bundles: Pick<BundleSetup, 'choose'>;
  /** Adds the server that is asked for. */
  add(ask: Parameters<AddServer['run']>[0]): Promise<void>;
  openWebsite(server: { name: string }, url: string): Promise<void>;
}

/** The page *Browse Servers*, with what it needs of the rest. Web windows have none. */
export const galleryOf = (setup: SetupForGallery) =>
  new Gallery({
    extension: setup.extensionUri,
    registry: () => setup.registry(),
    rules: () => rulesOf(setup),
    installedAs: choices =>
      installedAs(choices, { ...setup.writer.existing('workspace').servers, ...setup.writer.existing('user').servers }),
    install: choice => install(setup, choice),
    openLink: (title, url) => setup.openWebsite({ name: visible(title, 80) }, url),
  });

/** Adds a server. Going back from the first question leads to the page, which is still there. */
async function install({ add, bundles }: SetupForGallery, choice: RegistryChoice): Promise<void> {
  let isAsked = false;
  await add(async (title, take) => {
    if (isAsked && choice.optional.length === 0) return undefined;
    isAsked = true;
    return chooseOptional(choice, { title, take, bundle: bundles.choose });
  });
}

async function rulesOf({ rules, writer }: SetupForGallery) {
  const read = await rules();
  if (!read) return undefined;
  const existing = writer.existing('user');
  return ({ build }: RegistryChoice) => {
    const draft = build?.(new Set());
    const [definition] = draft ? writer.definitionsOf('user', planAddition([draft], existing)) : [];
    return definition && read.refusalOf(definition);
  };
}
