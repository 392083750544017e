// Loaded into each Node under Wine, those of the servers too: what Wine lacks and Windows has.
import { Socket } from 'node:net';

// Wine 8 doesn't know the option TCP_KEEPALIVE; Node's fetch sets it, and would fail to connect.
Socket.prototype.setKeepAlive = function () {
  return this;
};
