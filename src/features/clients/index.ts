export { clientAnswers, rememberedClients } from './clientQuestion';
export * from './core';
export { ExtensionApi } from './extensionApi';
