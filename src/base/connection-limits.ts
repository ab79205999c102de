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

type Peer = { group: string; count: number; isShared: boolean }

export function createConnections(limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>()
  const peers = new Map<string, Peer>()
  // Connections without a request in progress, in the order in which they started to wait.
  const unused = new Set<Connection>()
  const idle = new Set<Connection>()

  function peerOf(address: string): Peer {
    const isShared = limits.isShared(address)
    // A proxy is counted separately from other addresses of its network.
    const group = isShared ? address : addressGroup(address)
    const known = peers.get(group)
    if (known) return known
    const peer: Peer = { group, count: 0, isShared }
    peers.set(group, peer)
    return peer
  }

  function stopWaiting(connection: Connection): void {
    const waiting = connection.isUsed ? idle : unused
    waiting.delete(connection)
  }

  function remove(connection: Connection): void {
    if (!connections.delete(connection.socket)) return
    stopWaiting(connection)
    const { peer } = connection
    peer.count -= 1
    if (peer.count === 0) peers.delete(peer.group)
  }

  /** Closes the one that waits longest; the newest, which is among the unused ones, only if no other waits. */
  function closeOldest(newest: Connection, isCandidate: (connection: Connection) => boolean): void {
    const oldest = firstOf(unused, (one) => one !== newest && isCandidate(one)) ?? firstOf(idle, isCandidate) ?? newest
    remove(oldest)
    oldest.socket.destroy()
  }

  return {
    add(socket) {
      // The remote address is undefined if the socket is closed already.
      const peer = peerOf((socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''))
      const connection: Connection = { socket, peer, requests: 0, isUsed: false }
      connections.set(socket, connection)
      peer.count += 1
      unused.add(connection)
      socket.once('close', () => remove(connection))
      if (!peer.isShared && peer.count > limits.perAddressMax) closeOldest(connection, (one) => one.peer === peer)
      if (unused.size > limits.unusedMax) closeOldest(connection, (one) => !one.isUsed)
      if (connections.size > limits.totalMax) closeOldest(connection, () => true)
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
      idle.add(connection)
    },
    closeWaiting() {
      for (const { socket } of [...unused, ...idle]) socket.destroy()
    },
  }
}

function firstOf(connections: Set<Connection>, isWanted: (one: Connection) => boolean): Connection | undefined {
  for (const one of connections) if (isWanted(one)) return one
  return undefined
}
