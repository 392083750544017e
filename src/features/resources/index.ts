export * from './core';
export { giveAddress } from './givenAddresses';
export type { PageTemplates } from './openTemplate';
export { resourceUri } from './resourceTarget';
