/** Web windows install no bundles. */
export const isBundle = (): boolean => false;
export const bundlePlace = (): undefined => undefined;
export const publishedBundle = (): undefined => undefined;
