import { describe, expect, it } from 'vitest'
import { createRejectedKeys, type KnownKey } from '../../src/auth/api-keys/rejected-keys.ts'

const FROM = { address: '10.0.0.1', userAgent: undefined }
const HOUR = 3_600_000

function revokedIn(workspaceId: string): KnownKey {
  const key = { createdBy: null, keyId: null, keyName: 'Key', revokedBy: null, revokedAt: null }
  return { reason: 'revoked', workspaceId, ...key }
}

describe('the list of rejected keys', () => {
  it('counts requests per key and keeps the last sender, most recent first', () => {
    let now = 1_000
    const keys = createRejectedKeys({ now: () => now })
    const unknown = { reason: 'unknown' } as const
    keys.record({ endsWith: 'aaaa', key: unknown }, FROM)
    keys.record({ endsWith: 'bbbb', key: unknown }, FROM)
    now += HOUR
    keys.record({ endsWith: 'aaaa', key: unknown }, { address: '10.0.0.2', userAgent: 'x'.repeat(300) })
    const [first, second] = keys.listUnknown()
    expect(first).toMatchObject({ endsWith: 'aaaa', count: 2, firstMs: 1_000, lastMs: now, address: '10.0.0.2' })
    expect(first?.userAgent).toHaveLength(200)
    expect(second).toMatchObject({ endsWith: 'bbbb', count: 1 })
  })

  it('keeps at most 100 unknown keys, which displace no key of an application', () => {
    const keys = createRejectedKeys({ now: () => 0 })
    keys.record({ endsWith: 'mine', key: revokedIn('a') }, FROM)
    for (let number = 0; number < 1_000; number += 1) {
      keys.record({ endsWith: String(number), key: { reason: 'unknown' } }, FROM)
    }
    expect(keys.listUnknown()).toHaveLength(100)
    expect(keys.listUnknown()[0]?.endsWith).toBe('999')
    expect(keys.listOfWorkspace('a')).toHaveLength(1)
    expect(keys.listOfWorkspace('b')).toEqual([])
  })

  it('removes a key a day after its last use', () => {
    let now = 0
    const keys = createRejectedKeys({ now: () => now })
    keys.record({ endsWith: 'aaaa', key: { reason: 'unknown' } }, FROM)
    now = 23 * HOUR
    expect(keys.listUnknown()).toHaveLength(1)
    now = 24 * HOUR
    expect(keys.listUnknown()).toEqual([])
  })
})
