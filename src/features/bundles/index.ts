export { type BundleSource, Bundles, type ChosenBundle } from './bundles';
export { saveBundle } from './saveBundle';
