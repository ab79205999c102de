/**
 * Decides which connections a server closes when there are too many: in total, of one address, or of those that have
 * not sent a request yet. The connection that has waited longest without a request is closed: first among those that
 * never sent one, then among those that are idle between two. A new connection is rejected only if all others have a
 * request in progress, so that no client can block others with connections alone.
 */

import type { Socket } from 'node:net'
import { addressGroup } from './address-ranges.ts'

export type ConnectionLimits = {
  totalMax: number
  perAddressMax: number
  /** The maximum number of connections that have not sent a request yet. */
  unusedMax: number
  /** Addresses shared by many clients, such as a trusted proxy: they count only towards the total. */
  isShared(address: string): boolean
}

export type Connections = {
  add(socket: Socket): void
  /** A request starts on the connection; `end` must follow. */
  begin(socket: Socket): void
  end(socket: Socket): void
  /** Closes every connection without a request in progress. */
  closeWaiting(): void
}

type Connection = { socket: Socket; peer: Peer; requests: number; isUsed: boolean }

/** In the order in which they started to wait. */
type Waiting = { unused: Set<Connection>; idle: Set<Connection> }

type Peer = Waiting & { group: string; count: number; isShared: boolean }

export function createConnections(limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>()
  const peers = new Map<string, Peer>()
  const all: Waiting = { unused: new Set(), idle: new Set() }

  function peerOf(address: string): Peer {
    const isShared = limits.isShared(address)
    // A proxy is counted separately from other addresses of its network.
    const group = isShared ? address : addressGroup(address)
    const known = peers.get(group)
    if (known) return known
    const peer: Peer = { group, count: 0, isShared, unused: new Set(), idle: new Set() }
    peers.set(group, peer)
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
    if (peer.count === 0) peers.delete(peer.group)
  }

  function closeOldest({ unused, idle }: Waiting, newest: Connection): void {
    const [oldestUnused] = unused
    const [oldestIdle] = idle
    // The newest connection itself is always one of the unused ones.
    const loser = oldestUnused !== newest ? oldestUnused : (oldestIdle ?? newest)
    if (!loser) return
    remove(loser)
    loser.socket.destroy()
  }

  return {
    add(socket) {
      // The remote address is undefined if the socket is closed already.
      const peer = peerOf((socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''))
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
