export { type ApiServerServices, apiServer } from './apiServer';
export { askAboutClient, clientAnswers } from './clientQuestion';
export { ClientStorage } from './clientStorage';
export {
  type ClientAnswer,
  type ClientDetail,
  type ClientIdentity,
  Clients,
  clientKey,
  type StoredClient,
} from './core/clients';
export { ExtensionApi } from './extensionApi';
