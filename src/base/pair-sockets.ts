import type { Server, Socket } from 'node:net'

/**
 * Returns a function that finds the connection below a TLS socket of the server, and returns any other socket as it is. Limits count
 * connections, because a client that does not finish the handshake never gets a TLS socket.
 */
export function pairSockets(server: Server): (socket: Socket) => Socket {
  const byPeer = new Map<string, Socket>()
  const below = new WeakMap<Socket, Socket>()
  server.on('connection', (socket) => {
    const peer = peerOf(socket)
    byPeer.set(peer, socket)
    socket.once('close', () => byPeer.delete(peer))
  })
  server.on('secureConnection', (socket: Socket) => {
    const connection = byPeer.get(peerOf(socket))
    if (connection) below.set(socket, connection)
  })
  return (socket) => below.get(socket) ?? socket
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`
}
