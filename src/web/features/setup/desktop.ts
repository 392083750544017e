import { t } from '../../../editor/window';

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
