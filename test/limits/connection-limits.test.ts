import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type ConnectionLimits, createConnections } from '../../src/base/connection-limits.ts'

const NO_LIMITS: ConnectionLimits = {
  totalMax: 1_000,
  perAddressMax: 1_000,
  unusedMax: 1_000,
  isShared: (address) => address === '10.0.0.1',
}

function connectionsWith(limits: Partial<ConnectionLimits>) {
  const connections = createConnections({ ...NO_LIMITS, ...limits })
  const opened: Socket[] = []
  return {
    ...connections,
    open(remoteAddress: string): Socket {
      const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
      opened.push(socket)
      connections.add(socket)
      return socket
    },
    /** The positions of the open connections, in the order in which they were opened. */
    stillOpen: () => opened.flatMap((socket, position) => (socket.destroyed ? [] : [position])),
  }
}

describe('too many connections', () => {
  it('of one address close the oldest of that address, and none of another', () => {
    const { open, stillOpen } = connectionsWith({ perAddressMax: 2 })
    for (const address of ['a', 'b', 'b', 'b', 'b']) open(address)
    expect(stillOpen()).toEqual([0, 3, 4])
  })

  it('of one address count those of its IPv6 network', () => {
    const { open, stillOpen } = connectionsWith({ perAddressMax: 2 })
    for (const end of ['1', '2', '3']) open(`2001:db8:0:1::${end}`)
    open('2001:db8:0:2::1')
    expect(stillOpen()).toEqual([1, 2, 3])
  })

  it('of a trusted proxy, whose address many clients have, count only towards the total', () => {
    const { open, stillOpen } = connectionsWith({ perAddressMax: 2, totalMax: 4 })
    for (let count = 0; count < 6; count += 1) open('10.0.0.1')
    expect(stillOpen()).toEqual([2, 3, 4, 5])
  })

  it('without a request close the oldest of these, and none that was used', () => {
    const { open, begin, end, stillOpen } = connectionsWith({ unusedMax: 2 })
    const used = open('a')
    begin(used)
    end(used)
    for (const address of ['b', 'c', 'd', 'e']) open(address)
    expect(stillOpen()).toEqual([0, 3, 4])
  })

  it('in total close those that never sent a request first, then those that wait longest for the next', () => {
    const { open, begin, end, stillOpen } = connectionsWith({ totalMax: 3 })
    const [first, second] = [open('a'), open('b')]
    for (const socket of [second, first]) {
      begin(socket)
      end(socket)
    }
    open('c')
    begin(open('d'))
    expect(stillOpen()).toEqual([0, 1, 3])
    open('e')
    expect(stillOpen()).toEqual([0, 3, 4])
  })

  it('close no connection with a request in progress: the new one is rejected if all have one', () => {
    const { open, begin, end, stillOpen } = connectionsWith({ totalMax: 2 })
    const [first, second] = [open('a'), open('b')]
    begin(first)
    begin(second)
    open('c')
    expect(stillOpen()).toEqual([0, 1])
    end(second)
    open('d')
    expect(stillOpen()).toEqual([0, 3])
  })

  it('are those that are open: one that is closed during its request does not count', async () => {
    const { open, begin, stillOpen } = connectionsWith({ perAddressMax: 2, unusedMax: 2, totalMax: 2 })
    for (let count = 0; count < 5; count += 1) {
      const socket = open('a')
      begin(socket)
      socket.destroy()
      await new Promise((resolve) => socket.once('close', resolve))
    }
    open('a')
    open('a')
    expect(stillOpen()).toEqual([5, 6])
  })
})

it('at the end, connections without a request in progress are closed, and no other', () => {
  const { open, begin, end, closeWaiting, stillOpen } = connectionsWith({})
  const [, idle, busy] = [open('a'), open('b'), open('c')]
  begin(idle)
  end(idle)
  begin(busy)
  closeWaiting()
  expect(stillOpen()).toEqual([2])
})
