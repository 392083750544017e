export { pickServer, serverOf } from './serverCommands';
export { stateText } from './stateText';
