// In place of: features/setup/desktop, features/bundles/core/bundleFolders
import { t } from '../editor/window';

export const RUNS_PROGRAMS = false;

/** Nothing is unpacked in a web window, and what leads here is hidden. */
export class BundleSetup {
  choose = nothing;
  save = nothing;
  tidy = nothing;
  remove = nothing;
}

/** Other hosts keep their servers in files of a machine. */
export const places = (): never => {
  throw new Error(t('Web windows cannot read the files of other hosts. Import servers in a desktop window.'));
};
export const findServers = nothing;
export const newServer = nothing;
export const shareServers = nothing;

async function nothing(): Promise<undefined> {}

/** Web windows have no bundles. */
export const BUNDLES = '';
export const bundleOf = (): undefined => undefined;
