import type { RegistryDetails } from '../../../../features/setup/core/registryDetails';

/** Shown by the page, which web windows do not have. */
export const detailsOf = (): RegistryDetails => ({ icons: [] });
