export { type PackageReference, packagesOf } from './core/packageReference';
export { mayBeSame } from './core/versionRange';
