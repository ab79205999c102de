/**
 * Decides which connections a server keeps when there are too many: in sum, of one address, or of those that have not sent a
 * request yet. The one that has waited longest without a request loses: first among those that never sent one, then among those that
 * are idle between two. A new connection is refused only if all others are in the middle of a request, so that nobody can keep others
 * out with connections alone.
 */
import type { Socket } from 'node:net'

export type ConnectionLimits = {
  totalMax: number
  perAddressMax: number
  /** Of connections that have not sent a request yet. */
  unusedMax: number
  /** Addresses through which many clients come, such as a trusted proxy: they are counted in sum only. */
  isShared(address: string): boolean
}

export type Connections = {
  add(socket: Socket): void
  /** A request begins on the connection; each is followed by `end`. */
  begin(socket: Socket): void
  end(socket: Socket): void
  /** Closes every connection that is not in the middle of a request. */
  closeWaiting(): void
}

type Connection = { socket: Socket; peer: Peer; requests: number; isUsed: boolean }

/** In the order in which they began to wait. */
type Waiting = { unused: Set<Connection>; idle: Set<Connection> }

type Peer = Waiting & { address: string; count: number; isShared: boolean }

export function createConnections(limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>()
  const peers = new Map<string, Peer>()
  const all: Waiting = { unused: new Set(), idle: new Set() }

  function peerOf(address: string): Peer {
    const known = peers.get(address)
    if (known) return known
    const isShared = limits.isShared(address)
    const peer: Peer = { address, count: 0, isShared, unused: new Set(), idle: new Set() }
    peers.set(address, peer)
    return peer
  }

  function stopWaiting(connection: Connection): void {
    const kind = connection.isUsed ? 'idle' : 'unused'
    all[kind].delete(connection)
    connection.peer[kind].delete(connection)
  }

  function remove(connection: Connection): void {
    if (!connections.delete(connection.socket)) return
    stopWaiting(connection)
    const { peer } = connection
    peer.count -= 1
    if (peer.count === 0) peers.delete(peer.address)
  }

  function closeOldest({ unused, idle }: Waiting, newest: Connection): void {
    const [oldestUnused] = unused
    const [oldestIdle] = idle
    // The newest itself is always among the unused ones.
    const loser = oldestUnused !== newest ? oldestUnused : (oldestIdle ?? newest)
    if (!loser) return
    remove(loser)
    loser.socket.destroy()
  }

  return {
    add(socket) {
      // Undefined if it is closed already.
      const peer = peerOf(groupOf(socket.remoteAddress ?? ''))
      const connection: Connection = { socket, peer, requests: 0, isUsed: false }
      connections.set(socket, connection)
      peer.count += 1
      peer.unused.add(connection)
      all.unused.add(connection)
      socket.once('close', () => remove(connection))
      if (!peer.isShared && peer.count > limits.perAddressMax) closeOldest(peer, connection)
      if (all.unused.size > limits.unusedMax) closeOldest({ unused: all.unused, idle: new Set() }, connection)
      if (connections.size > limits.totalMax) closeOldest(all, connection)
    },
    begin(socket) {
      const connection = connections.get(socket)
      if (!connection) return
      connection.requests += 1
      if (connection.requests > 1) return
      stopWaiting(connection)
      connection.isUsed = true
    },
    end(socket) {
      const connection = connections.get(socket)
      if (!connection) return
      connection.requests -= 1
      if (connection.requests > 0) return
      all.idle.add(connection)
      connection.peer.idle.add(connection)
    },
    closeWaiting() {
      for (const { socket } of [...all.unused, ...all.idle]) socket.destroy()
    },
  }
}

/** One IPv4 address, or the /64 network of an IPv6 address: a single customer is given at least that many of those. */
function groupOf(address: string): string {
  const bare = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
