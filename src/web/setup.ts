// In place of: features/setup/addDemoServer, features/setup/desktop, features/setup/otherWays, features/bundles/core/bundleFolders
import { t, window } from '../editor/window';
import type { OtherWay } from '../features/setup/smartBox';

/** The demo server is a program. The command is hidden here; what offers it all the same, as chat, leads to this. */
export async function addDemoServer(): Promise<void> {
  const message = t('The demo server is a program, and web windows cannot run programs. Add it in a desktop window.');
  await window.showInformationMessage(message);
}

/** Nothing is unpacked in a web window, and what leads here is hidden. */
export class BundleSetup {
  install = nothing;
  choose = nothing;
  save = nothing;
  update = nothing;
  tidy = nothing;
  remove = nothing;
  row = () => ({ label: '' });
  rows = () => [];
}

/** Other hosts keep their servers in files of a machine. */
export const places = (): never => {
  throw new Error(t('Web windows cannot read the files of other hosts. Import servers in a desktop window.'));
};
export const findServers = nothing;
export const readPlace = nothing;
export const newServer = nothing;
export const shareServers = nothing;

async function nothing(): Promise<undefined> {}

/** A web window runs no programs and reads no files of other hosts. */
export const otherWays = (): OtherWay[] => [];

/** Web windows have no bundles. */
export const BUNDLES = '';
export const bundleOf = (): undefined => undefined;
