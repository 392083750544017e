export { pickServer, serverOf } from './serverCommands';
export { stateName, stateText } from './stateText';
