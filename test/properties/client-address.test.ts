import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressGroup } from '../../src/base/address-ranges.ts'
import { readConfig } from '../../src/config.ts'
import { readClientRequest, readTrustedProxies } from '../../src/http/client-address.ts'

const isProxy = readTrustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8::7'])

const clientAddress = (peer: string, headers: Record<string, string>) =>
  readClientRequest(peer, headers, isProxy).address

const octet = fc.integer({ min: 0, max: 255 })
const proxy = fc.oneof(
  fc.tuple(octet, octet, octet).map((rest) => `10.${rest.join('.')}`),
  fc.constantFrom('192.0.2.7', 'fd00::1', 'fd12:3456::9', '2001:db8::7'),
)
const client = fc.oneof(
  fc.tuple(octet, octet).map((rest) => `198.51.${rest.join('.')}`),
  fc.constantFrom('2001:db8::8', '2600:1::2', '192.0.2.8'),
)
/** What a client can send in a header of its own, commas and addresses of our proxies included. */
const invention = fc.oneof(proxy, client, fc.constantFrom('unknown', '', ',,', '127.0.0.1', 'a.b', '10.0.0.1:99999'))

describe('the address of a client', () => {
  it('is the first one from the right that is not a trusted proxy, for any content to the left of it', () => {
    fc.assert(
      fc.property(fc.array(invention), client, fc.array(proxy), proxy, (inventions, real, hops, peer) => {
        const header = [...inventions, real, ...hops].join(', ')
        expect(clientAddress(peer, { 'x-forwarded-for': header })).toBe(real)
      }),
    )
  })

  it('is the other end of the socket, and no header is read, if that is not a trusted proxy', () => {
    fc.assert(
      fc.property(fc.array(invention), client, (inventions, peer) => {
        const headers = {
          'x-forwarded-for': inventions.join(','),
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'evil.example',
        }
        expect(readClientRequest(peer, headers, isProxy)).toEqual({ address: peer, scheme: undefined, host: undefined })
      }),
    )
  })

  it('has one spelling, with a port, in brackets or as IPv6 that maps IPv4', () => {
    const read = (entry: string) => clientAddress('10.0.0.1', { 'x-forwarded-for': entry })
    for (const entry of ['198.51.100.9', '198.51.100.9:4711', '::ffff:198.51.100.9', '[::ffff:198.51.100.9]:1']) {
      expect(read(entry)).toBe('198.51.100.9')
    }
    for (const entry of ['2600:1::2', '[2600:1::2]:443', '2600:0001:0:0::2', '"[2600:1::2]"', '2600:1::2%eth0']) {
      expect(read(entry)).toBe('2600:1::2')
    }
    expect(clientAddress('::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.9' })).toBe('198.51.100.9')
  })

  it('is the proxy itself if the proxy sends no valid address', () => {
    for (const entry of ['unknown', '_hidden', '', '300.1.1.1', '198.51.100.9:999999']) {
      expect(clientAddress('10.0.0.1', { 'x-forwarded-for': entry })).toBe('10.0.0.1')
    }
    expect(clientAddress('10.0.0.1', {})).toBe('10.0.0.1')
  })

  it('never fails, for any header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (peer, header) => {
        expect(typeof clientAddress(peer, { 'x-forwarded-for': header })).toBe('string')
        expect(typeof clientAddress('10.0.0.1', { 'x-forwarded-for': header })).toBe('string')
      }),
    )
  })

  it('is counted by the /64 network if it is IPv6, of which one customer has all addresses', () => {
    expect(addressGroup('198.51.100.9')).toBe('198.51.100.9')
    expect(addressGroup('2600:1:2:3:4:5:6:7')).toBe('2600:1:2:3::/64')
    expect(addressGroup('2600:1:2:3::9')).toBe('2600:1:2:3::/64')
    expect(addressGroup('2600::9')).toBe('2600:0:0:0::/64')
    expect(addressGroup('::1')).toBe('0:0:0:0::/64')
    expect(addressGroup('')).toBe('')
  })
})

describe('a trusted proxy', () => {
  it('reports the scheme and the host that the client used, the nearest one having the last word', () => {
    const headers = { 'x-forwarded-proto': 'http, HTTPS', 'x-forwarded-host': 'evil.example, touchstone.example' }
    expect(readClientRequest('10.0.0.1', headers, isProxy)).toEqual({
      address: '10.0.0.1',
      scheme: 'https',
      host: 'touchstone.example',
    })
    expect(readClientRequest('10.0.0.1', { 'x-forwarded-proto': 'gopher' }, isProxy).scheme).toBeUndefined()
  })

  it('is named by an address or a network; anything else is no list', () => {
    const texts = ['proxy.example', '10.0.0.0/33', '10.0.0', '10.0.0.1:80', '::1/129', '*', '10.0.0.0/', 'fe80::1%eth0']
    for (const text of texts) {
      expect(() => readConfig({ TOUCHSTONE_TRUSTED_PROXIES: `10.0.0.1,${text}` }), text).toThrow(
        `TOUCHSTONE_TRUSTED_PROXIES must be a list of addresses and networks such as 10.0.0.5,172.16.0.0/12, not ${JSON.stringify(text)}`,
      )
    }
    expect(readConfig({ TOUCHSTONE_TRUSTED_PROXIES: ' 10.0.0.1, fd00::/8 ' }).trustedProxies).toEqual([
      '10.0.0.1',
      'fd00::/8',
    ])
    expect(readTrustedProxies(readConfig({}).trustedProxies)('127.0.0.1')).toBe(false)
  })
})
