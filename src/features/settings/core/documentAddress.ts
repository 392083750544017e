import { webAddress } from '../../../base/text';

/** An address at which authorization servers may look for a client's document; undefined for any other value. */
export function documentAddress(value: unknown): string | undefined {
  const url = webAddress(value);
  return url?.protocol === 'https:' && url.pathname !== '/' && !url.hash ? url.href : undefined;
}
