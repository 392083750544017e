import { formatSize } from '../../base/numberText';
import { exact, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { t } from '../../editor/window';
import type { InspectedBundle } from './core/inspectBundle';
import type { BundleManifest } from './core/manifest';
import { launchLine, manifestChanges } from './core/manifestChanges';
import type { SignatureState } from './core/signature';

/** What a person reads of a bundle above its manifest. */
export function bundleNotes({ file, manifest }: InspectedBundle, from: string): string[] {
  const { title, version, author, description, launch, options, toolNames } = manifest;
  const files = file.entries.filter(({ isFolder }) => !isFolder).length;
  const asked = options.map(option => visible(option.title, 60)).join(', ');
  return [
    t('{0} {1}, by {2}', visible(title, 100), visible(version, 40), visible(author, 100)),
    visible(description, 500),
    t('From {0}', exact(from)),
    t('{0} files, {1} in all; packed {2}', files, formatSize(file.unpackedBytes), formatSize(file.bytes)),
    `SHA-256 ${file.sha256}`,
    signatureText(file.signature),
    launch ? t('Runs: {0}', launchLine(launch)) : t('Runs by uv'),
    asked && t('Asks for: {0}', asked),
    toolNames.length > 0 && t('Tools: {0}', visible(toolNames.join(', '), 500)),
  ].filter(note => typeof note === 'string' && note !== '') as string[];
}

/** What a person reads of an update before all else. @param before undefined: its manifest cannot be read any more. */
export function changeNotes(before: BundleManifest | undefined, after: BundleManifest, version: string): string[] {
  const heading = t('Changed since {0}:', visible(version, 30));
  if (!before) return [heading, `• ${t('Not known, because the manifest of that version cannot be read.')}`];
  const changes = manifestChanges(before, after);
  if (changes.length === 0)
    return [t('It runs and asks for the same as {0}; its files may differ.', visible(version, 30))];
  return [heading, ...changes.map(change => `• ${localized(change)}`)];
}

function signatureText(signature: SignatureState): string {
  switch (signature.kind) {
    case 'signed':
      return t(
        'Signed as {0}, by a certificate of {1} that is valid until {2}. Whether these are who they say is not checked.',
        visible(signature.publisher, 100),
        visible(signature.issuer, 100),
        visible(signature.validTo, 40),
      );
    case 'unreadable':
      return `⚠ ${t('It has a signature that cannot be read.')}`;
    default:
      return t('Not signed');
  }
}
