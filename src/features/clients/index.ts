export { clientAnswers, rememberedClients } from './clientQuestion';
export {
  type ClientAnswer,
  type ClientDetail,
  type ClientIdentity,
  type Clients,
  clientOf,
} from './core/clients';
export { ExtensionApi } from './extensionApi';
