export { type NamedPackage, namesOfPackages } from './core/packageNames';
export { type PackageReference, packagesOf } from './core/packageReference';
