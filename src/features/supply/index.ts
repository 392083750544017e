export { type PackageReference, packagesOf } from './core/packageReference';
