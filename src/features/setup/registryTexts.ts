import { type PlainText, type RowText, rowText, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { t } from '../../editor/window';
import type { RegistryError } from './core/registryClient';

/** What went wrong with a registry, and the remedy. */
export function registryFailure({ code, what }: RegistryError): { what: PlainText; remedy: PlainText } {
  const shown = visible(localized(what), 100);
  const checkSetting = t('Check the setting "mcpHost.registry.url".');
  const later = t('Try again later, or check the setting "mcpHost.registry.url".');
  switch (code) {
    case 'UNREACHABLE':
      return { what: t('The MCP Registry cannot be reached ({0}).', shown), remedy: t('Are you offline?') };
    case 'TIMEOUT':
      return { what: t('The MCP Registry did not answer within {0}.', shown), remedy: later };
    case 'STATUS':
      return { what: t('The MCP Registry answered with {0}.', shown), remedy: later };
    case 'TOO_LARGE':
      return {
        what: t("The MCP Registry's response is larger than {0}.", shown),
        remedy: t('Try a more specific search.'),
      };
    case 'REDIRECT':
      return { what: t('The MCP Registry redirects to another address ({0}).', shown), remedy: checkSetting };
    case 'BAD_URL':
      return { what: t('{0} is not the address of an MCP Registry.', shown), remedy: checkSetting };
    default:
      return { what: t('The response is not from an MCP Registry: {0}.', shown), remedy: checkSetting };
  }
}

export const kindIcon = (kind: string) =>
  kind === 'http' || kind === 'sse' ? 'globe' : kind === 'oci' ? 'vm' : kind === 'mcpb' ? 'archive' : 'package';

/** How a server is run or reached. */
export function kindLabel(kind: string): RowText {
  const labels: Record<string, RowText> = {
    npm: t('npm package, run by npx'),
    pypi: t('Python package, run by uvx'),
    oci: t('Container image, run by Docker'),
    mcpb: t('MCP bundle, unpacked on this machine'),
    http: t('Remote server'),
    sse: t('Remote server (HTTP+SSE)'),
  };
  return Object.hasOwn(labels, kind) ? labels[kind]! : rowText(kind, 40);
}
