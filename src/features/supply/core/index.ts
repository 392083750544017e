export { type PackageReference, packagesOf } from './packageReference';
export { mayBeSame } from './versionRange';
