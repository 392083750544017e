export { clientAnswers } from './clientQuestion';
export { rememberedClients } from './clientStorage';
export {
  type ClientAnswer,
  type ClientDetail,
  type ClientIdentity,
  type Clients,
  clientOf,
} from './core/clients';
export { ExtensionApi } from './extensionApi';
