import { randomBytes } from 'node:crypto'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codingOf, decompress } from '../../src/ingestion/otlp/decompress.ts'

const MIB = 1 << 20
const limits = { bytesMax: 20 * MIB, onSize: () => {} }
const SMALL = Buffer.from('some traces')
/** Does not shrink, so that it takes the way of large bodies. */
const LARGE = randomBytes(200_000)

describe.each([
  ['a small body', SMALL],
  ['a large body', LARGE],
])('%s', (_, body) => {
  it('restores the original bytes, for every supported coding', async () => {
    expect(await decompress(body, 'identity', limits)).toEqual(body)
    expect(await decompress(gzipSync(body), 'gzip', limits)).toEqual(body)
    expect(await decompress(deflateSync(body), 'deflate', limits)).toEqual(body)
    expect(await decompress(deflateRawSync(body), 'deflate', limits)).toEqual(body)
  })

  it('of two gzip members is both of them', async () => {
    const members = Buffer.concat([gzipSync(body), gzipSync('!')])
    expect(await decompress(members, 'gzip', limits)).toEqual(Buffer.concat([body, Buffer.from('!')]))
  })

  it.each([
    ['letters behind gzip', 'gzip', Buffer.concat([gzipSync(body), Buffer.from('xyz')])],
    ['zeros behind gzip', 'gzip', Buffer.concat([gzipSync(body), Buffer.alloc(8)])],
    ['letters behind deflate', 'deflate', Buffer.concat([deflateSync(body), Buffer.from('xyz')])],
    ['half of gzip', 'gzip', gzipSync(body).subarray(0, -5)],
    ['half of deflate', 'deflate', deflateSync(body).subarray(0, -5)],
    ['a wrong checksum', 'gzip', Buffer.concat([gzipSync(body).subarray(0, -8), Buffer.alloc(8)])],
    ['what was never packed', 'gzip', body],
  ] as const)('%s is 400', async (_what, coding, bytes) => {
    await expect(decompress(bytes, coding, limits)).rejects.toMatchObject({ status: 400 })
  })
})

describe('a gigabyte of zeros', () => {
  // In pieces of 16 MiB, because making it is what would take time here.
  const bomb = Buffer.concat(new Array(64).fill(gzipSync(Buffer.alloc(16 * MIB))))

  it('is 413 after no more than the limit has been unpacked', async () => {
    let unpacked = 0
    const onSize = (bytes: number) => {
      unpacked = bytes
    }
    await expect(decompress(bomb, 'gzip', { ...limits, onSize })).rejects.toMatchObject({ status: 413 })
    expect(unpacked).toBeLessThanOrEqual(20 * MIB)
    expect(unpacked).toBeGreaterThan(19 * MIB)
  })

  it('in so few bytes that they are unpacked at once is 413 too', async () => {
    const bytes = gzipSync(Buffer.alloc(21 * MIB))
    expect(bytes.length).toBeLessThan(64 * 1024)
    await expect(decompress(bytes, 'gzip', limits)).rejects.toMatchObject({ status: 413 })
  })

  it('stops when the budget rejects the size', async () => {
    const onSize = (bytes: number) => {
      if (bytes > MIB) throw new RangeError('no more memory')
    }
    await expect(decompress(bomb, 'gzip', { ...limits, onSize })).rejects.toThrow('no more memory')
  })
})

describe('the header Content-Encoding', () => {
  it.each([
    [undefined, 'identity'],
    ['identity', 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    [' deflate ', 'deflate'],
  ])('%j means %s', (header, coding) => {
    expect(codingOf(header)).toBe(coding)
  })

  it.each(['zstd', 'br', 'gzip, gzip', 'gzip,identity', 'compress', 'snappy'])('%j is 415', (header) => {
    expect(() => codingOf(header)).toThrow(expect.objectContaining({ status: 415 }))
  })
})
