/** Web windows have no bundles. */
export const BUNDLES = '';
export const bundleOf = (): undefined => undefined;
