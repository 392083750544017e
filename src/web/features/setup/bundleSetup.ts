/** Web windows run no programs: nothing is unpacked there, and what leads here is hidden. */
export class BundleSetup {
  rows = () => [];
  install = nothing;
  choose = nothing;
  save = nothing;
  update = nothing;
  tidy = nothing;
  remove = nothing;
  row = () => ({ label: '' });
}

async function nothing(): Promise<undefined> {}
