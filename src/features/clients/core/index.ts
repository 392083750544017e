export {
  type ClientAnswer,
  type ClientDetail,
  type ClientIdentity,
  type Clients,
  clientOf,
} from './clients';
