/** What may be called and what not, in every notation. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { addressKind } from '../../src/egress/address-kinds.ts'
import { createEgress, type Egress, type Resolve } from '../../src/egress/egress-guard.ts'
import { runs } from '../harness/stage.ts'

const PUBLIC = '93.184.216.34'

/** A world in which every name leads to the same addresses. */
function resolvingTo(...addresses: string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

async function rejectionOf(egress: Egress, url: string): Promise<{ status: number; message: string } | 'allowed'> {
  try {
    await egress.check(url)
    return 'allowed'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { status: error.status, message: error.message }
  }
}

describe('an address', () => {
  const egress = createEgress({ allowed: [], resolve: resolvingTo(PUBLIC) })

  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['HTTPS://API.Example.COM:443/v1/', 'https://api.example.com/v1/'],
    ['https://api.example.com./v1', 'https://api.example.com./v1'],
    ['https://bücher.example/v1', 'https://xn--bcher-kva.example/v1'],
    [`https://${PUBLIC}/v1`, `https://${PUBLIC}/v1`],
    ['https://[2606:4700::1111]/v1', 'https://[2606:4700::1111]/v1'],
    ['https://api.example.com/v1?api-version=2024-10-21', 'https://api.example.com/v1?api-version=2024-10-21'],
  ])('%s on the public internet may be called', async (text, href) => {
    expect((await egress.check(text)).href).toBe(href)
  })

  it.each([
    ['', /must be a URL/],
    ['nonsense', /must be a URL/],
    ['//api.example.com', /must be a URL/],
    ['file:///etc/passwd', /must be a URL/],
    ['gopher://api.example.com/', /must be a URL/],
    ['ftp://api.example.com/', /must be a URL/],
    ['javascript:alert(1)', /must be a URL/],
    ['data:text/plain,x', /must be a URL/],
    ['unix:/var/run/docker.sock', /must be a URL/],
    ['https://', /must be a URL/],
    ['https://a b/', /must be a URL/],
    ['https://api.example.com:99999/', /must be a URL/],
    [`https://api.example.com/${'x'.repeat(2_000)}`, /must be a URL/],
    ['https://user@api.example.com/', /name or a password/],
    ['https://user:word@api.example.com/', /name or a password/],
    ['https://api.example.com%40127.0.0.1/', /must be a URL/],
    ['https://api.example.com/v1#part', /fragment/],
    ['https://api.example.com/v1?key=abc', /must not contain a key/],
    ['https://api.example.com/v1?access_token=abc', /must not contain a key/],
    ['http://api.example.com/', /https:\/\/.*TOUCHSTONE_ALLOWED_EGRESS=api\.example\.com:80/],
    ['https://api.example.com:8443/', /port.*TOUCHSTONE_ALLOWED_EGRESS=api\.example\.com:8443/],
    ['https://api.example.com:80/', /port/],
    ['https://metadata.google.internal/computeMetadata/v1/', /is not allowed/],
    ['https://METADATA.google.internal./', /is not allowed/],
  ])('%s is rejected with a message', async (text, message) => {
    expect(await rejectionOf(egress, text)).toMatchObject({ status: 400, message: expect.stringMatching(message) })
  })

  it('returns the same error for a name that is unknown, has no address, times out, or is of a private network', async () => {
    const failing = createEgress({ allowed: [], resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    const empty = createEgress({ allowed: [], resolve: resolvingTo() })
    const silent = createEgress({ allowed: [], resolve: () => new Promise(() => {}), timeoutMs: 20 })
    const internal = createEgress({ allowed: [], resolve: resolvingTo('10.0.0.7') })
    const metadata = createEgress({ allowed: [], resolve: resolvingTo('169.254.169.254') })
    for (const blind of [failing, empty, silent, internal, metadata])
      expect(await rejectionOf(blind, 'https://nowhere.example')).toEqual({
        status: 503,
        message:
          'The host nowhere.example was not found on the public internet. The operator of this server can allow it with TOUCHSTONE_ALLOWED_EGRESS=nowhere.example:443',
      })
  })
})

/** One of each forbidden range, in its usual form and in others. */
const HOSTILE = [
  'http://127.0.0.1',
  'http://127.0.0.1.',
  'http://127.1',
  'http://127.0.1',
  'http://2130706433',
  'http://017700000001',
  'http://0177.0.0.1',
  'http://0x7f.1',
  'http://0x7f000001',
  'http://0X7F.0x0.0.0x1',
  'http://127.0.0.1:22',
  'http://①②⑦.⓪.⓪.①',
  'http://１２７.0.0.1',
  'http://127。0。0。1',
  'http://%31%32%37.0.0.1',
  'http://0',
  'http://0.0.0.0',
  'http://0.1.2.3',
  'http://10.0.0.1',
  'http://012.0.0.1',
  'http://100.64.0.1',
  'http://100.100.100.200',
  'http://168.63.129.16',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe',
  'http://2852039166',
  'http://0251.0376.0251.0376',
  'http://172.16.0.1',
  'http://172.31.255.255',
  'http://192.0.0.1',
  'http://192.0.2.1',
  'http://192.168.0.1',
  'http://198.18.0.1',
  'http://198.51.100.1',
  'http://203.0.113.1',
  'http://224.0.0.1',
  'http://239.255.255.255',
  'http://240.0.0.1',
  'http://255.255.255.255',
  'http://[::]',
  'http://[::1]',
  'http://[0:0:0:0:0:0:0:1]',
  'http://[::127.0.0.1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[::FFFF:A9FE:A9FE]',
  'http://[::ffff:0:127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[64:ff9b::169.254.169.254]',
  'http://[64:ff9b:1::7f00:1]',
  'http://[100::1]',
  'http://[2001::1]',
  'http://[2001:0:7f00:1::]',
  'http://[2001:2::1]',
  'http://[2001:db8::1]',
  'http://[2002:7f00:1::]',
  'http://[2002:a9fe:a9fe::]',
  'http://[3fff::1]',
  'http://[5f00::1]',
  'http://[fc00::1]',
  'http://[fd00:ec2::254]',
  'http://[fe80::1]',
  'http://[fec0::1]',
  'http://[ff02::1]',
]

describe('an address that is not public', () => {
  const nowhere: Resolve = () => Promise.reject(new Error('an address is not looked up'))
  const egress = createEgress({ allowed: [], resolve: nowhere })

  it.each(HOSTILE)('%s is rejected with http and with https', async (url) => {
    for (const text of [url, url.replace('http:', 'https:')])
      expect(await rejectionOf(egress, text)).toMatchObject({
        status: 400,
        message: expect.stringMatching(/not on the public internet/),
      })
  })

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'db.internal', 'lоcalhost.example', '127.0.0.1.nip.io'])(
    '%s is rejected for where it leads to',
    async (host) => {
      const leading = createEgress({ allowed: [], resolve: resolvingTo('127.0.0.1') })
      expect(await rejectionOf(leading, `https://${host}/`)).toMatchObject({
        message: expect.stringMatching(/was not found on the public internet/),
      })
    },
  )

  it.each(['10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fe80::1%eth0', 'nonsense'])(
    'is rejected also if only one of many of its name is (%s)',
    async (hidden) => {
      const leading = createEgress({ allowed: [], resolve: resolvingTo(PUBLIC, '2606:4700::1111', hidden) })
      expect(await rejectionOf(leading, 'https://api.example.com')).not.toBe('allowed')
    },
  )

  it('is rejected without its resolved address: names of the private network stay secret', async () => {
    const leading = createEgress({ allowed: [], resolve: resolvingTo('10.77.12.9') })
    expect(JSON.stringify(await rejectionOf(leading, 'https://api.example.com'))).not.toContain('10.77')
  })

  const PRIVATE_IPV4: [number, number][] = [
    [0x00000000, 8],
    [0x0a000000, 8],
    [0x64400000, 10],
    [0x7f000000, 8],
    [0xa9fe0000, 16],
    [0xac100000, 12],
    [0xc0000000, 24],
    [0xc0000200, 24],
    [0xc0a80000, 16],
    [0xc6120000, 15],
    [0xc6336400, 24],
    [0xcb007100, 24],
    [0xe0000000, 4],
    [0xf0000000, 4],
  ]
  const privateIpv4 = fc
    .tuple(fc.constantFrom(...PRIVATE_IPV4), fc.nat(0xffffffff))
    .map(([[base, bits], random]) => (base + (random % 2 ** (32 - bits))) >>> 0)
  const dotted = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')
  const hex = (address: number) => `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`
  const spelled = fc.tuple(privateIpv4, fc.nat(11)).map(([address, way]) => {
    const parts = dotted(address).split('.').map(Number)
    const [a = 0, b = 0] = parts
    const spellings = [
      dotted(address),
      `${dotted(address)}.`,
      String(address),
      `0x${address.toString(16)}`,
      `0${address.toString(8)}`,
      parts.map((part) => `0x${part.toString(16)}`).join('.'),
      parts.map((part) => `0${part.toString(8)}`).join('.'),
      `${a}.${address & 0xffffff}`,
      `${a}.${b}.${address & 0xffff}`,
      `[::ffff:${dotted(address)}]`,
      `[::FFFF:${hex(address)}]`,
      `[64:ff9b::${hex(address)}]`,
    ]
    return spellings[way] ?? dotted(address)
  })

  it('is always rejected, in any spelling', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(spelled, fc.constantFrom('http', 'https'), async (host, scheme) => {
        expect(await rejectionOf(egress, `${scheme}://${host}/v1`)).toMatchObject({ status: 400 })
      }),
      { numRuns: runs(10_000) },
    )
  })

  it('is never taken for a public one, and public ones are', { tags: 'sized' }, () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 7, maxLength: 7 })
    const firsts = fc.constantFrom(0, 0x64, 0x100, 0x5f00, 0xfc00, 0xfd12, 0xfe80, 0xfec0, 0xff02, 0x2002)
    const ipv6 = fc
      .tuple(firsts, groups)
      .map(([first, rest]) => [first, ...rest].map((part) => part.toString(16)).join(':'))
    fc.assert(
      fc.property(fc.oneof(privateIpv4.map(dotted), ipv6), (address) => {
        expect(addressKind(address)).not.toBe('public')
      }),
      { numRuns: runs(10_000) },
    )
    for (const address of [
      PUBLIC,
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.9.9.9',
    ])
      expect(addressKind(address), address).toBe('public')
    for (const address of [
      '128.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.1.1',
      '223.255.255.255',
      '2606:4700::1',
    ])
      expect(addressKind(address), address).toBe('public')
  })
})

describe('what the operator allows', () => {
  it.each([
    ['localhost', 'http://localhost:11434/v1', '127.0.0.1'],
    ['LocalHost.', 'http://localhost:11434/v1', '::1'],
    ['localhost:11434', 'http://LOCALHOST.:11434/v1', '127.0.0.1'],
    ['127.0.0.1', 'http://127.0.0.1:8000', ''],
    ['127.0.0.1:8000', 'http://2130706433:8000', ''],
    ['127.0.0.1:8000', 'http://localhost:8000', '127.0.0.1'],
    ['::1', 'http://[::1]:8000', ''],
    ['[::1]:8000', 'http://[0::1]:8000', ''],
    ['10.0.0.0/8', 'http://vllm.internal:8000/v1', '10.4.5.6'],
    ['fd00::/8', 'https://vllm.internal/v1', 'fd12::1'],
    ['gateway.example.com:8443', 'https://gateway.example.com:8443/v1', PUBLIC],
    ['bücher.example', 'http://xn--bcher-kva.example', PUBLIC],
    ['169.254.10.1', 'http://169.254.10.1', ''],
  ])('%s lets %s be called', async (entry, url, address) => {
    const egress = createEgress({ allowed: [entry], resolve: resolvingTo(address) })
    expect(await rejectionOf(egress, url)).toBe('allowed')
  })

  it.each([
    ['localhost:11434', 'http://localhost:11435', '127.0.0.1'],
    ['localhost', 'http://127.0.0.1', ''],
    ['localhost', 'http://evil.localhost', '127.0.0.1'],
    ['localhost', 'http://localhost.evil.example', '127.0.0.1'],
    ['127.0.0.1', 'http://localhost', '127.0.0.2'],
    ['127.0.0.1:8000', 'http://localhost:8001', '127.0.0.1'],
    ['10.0.0.0/8', 'http://11.0.0.1', ''],
    ['10.0.0.0/8', 'http://vllm.internal', '192.168.0.1'],
    ['vllm.internal', 'http://vllm.internal', '169.254.169.254'],
    ['vllm.internal', 'http://vllm.internal', '0.0.0.0'],
    ['vllm.internal', 'http://vllm.internal', '100.100.100.200'],
    ['metadata.google.internal', 'http://metadata.google.internal', '10.0.0.1'],
    ['example.com', 'http://api.example.com', PUBLIC],
  ])('%s does not let %s be called', async (entry, url, address) => {
    const egress = createEgress({ allowed: [entry], resolve: resolvingTo(address) })
    expect(await rejectionOf(egress, url)).not.toBe('allowed')
  })

  it.each([
    '*',
    '*.example.com',
    'http://localhost',
    'localhost/v1',
    'a b',
    'localhost:0',
    'localhost:65536',
    '10.0.0.0/33',
    '::/129',
    'x/8',
    '@',
  ])('%s is not understood, and stops the start', (entry) => {
    expect(() => createEgress({ allowed: [entry] })).toThrow(/TOUCHSTONE_ALLOWED_EGRESS/)
  })
})
