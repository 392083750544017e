export { clientAnswers } from './clientQuestion';
export { rememberedClients } from './clientStorage';
export type {
  ClientAnswer,
  ClientDetail,
  ClientIdentity,
  Clients,
} from './core/clients';
export { ExtensionApi } from './extensionApi';
