import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { createSealer, type Sealer, type SecretLocation } from '../../src/secrets/sealed-secret.ts'

const execute = promisify(execFile)
const PLACE: SecretLocation = { workspaceId: 'w1', table: 'model_connections', column: 'sealed_key', rowId: 'r1' }
const SECRET = 'sk-canary-0123456789'

function sealerWith(secretKey: Buffer): Sealer {
  return createSealer({ secretKeys: [secretKey], secretKeyFile: undefined })
}

describe('a sealed secret', () => {
  const key = randomBytes(32)
  const sealer = sealerWith(key)

  it('is decrypted again, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (secret) => {
        expect(sealer.open(sealer.seal(secret, PLACE), PLACE)).toBe(secret)
      }),
      { numRuns: 500 },
    )
  })

  it('shows nothing of the secret or of the key, and is another text every time', () => {
    const texts = Array.from({ length: 200 }, () => sealer.seal(SECRET, PLACE))
    expect(new Set(texts).size).toBe(200)
    // The nonce: were it ever the same, the key itself would be in danger.
    expect(
      new Set(
        texts.map((text) =>
          Buffer.from(text.split('.')[2] ?? '', 'base64url')
            .subarray(0, 12)
            .toString('hex'),
        ),
      ).size,
    ).toBe(200)
    for (const text of texts) {
      expect(text).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/)
      expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('canary')
      expect(text).not.toContain(key.toString('hex').slice(0, 12))
    }
  })

  it.each(['workspaceId', 'table', 'column', 'rowId'] as const)('cannot be opened in a place of another %s', (part) => {
    expect(sealer.open(sealer.seal(SECRET, PLACE), { ...PLACE, [part]: 'other' })).toBeUndefined()
  })

  it('cannot be opened with another key', () => {
    expect(sealerWith(randomBytes(32)).open(sealer.seal(SECRET, PLACE), PLACE)).toBeUndefined()
  })

  it('cannot be opened if a single character of it was changed', () => {
    const sealed = sealer.seal(SECRET, PLACE)
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let place = 0; place < sealed.length - 1; place += 1) {
      const changed = characters[(characters.indexOf(sealed[place] ?? '') + 1) % characters.length]
      const text = `${sealed.slice(0, place)}${changed}${sealed.slice(place + 1)}`
      expect(sealer.open(text, PLACE), text).toBeUndefined()
    }
    for (const text of ['', 'v1', 'v1..', 'v2.a.b', sealed.slice(0, 20), `${sealed}AAAA`, SECRET])
      expect(sealer.open(text, PLACE), text).toBeUndefined()
  })
})

describe('the key of a server', () => {
  let folder = ''
  let file = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-secret-'))
    file = join(folder, 'touchstone.db-secret-key')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const inFile = () => createSealer({ secretKeys: [], secretKeyFile: file })

  it('is created at first use, readable only by the owner for any umask, without other files', () => {
    const before = process.umask(0)
    try {
      const sealer = inFile()
      expect(sealer.open('v1.a.b', PLACE)).toBeUndefined()
      expect(existsSync(file)).toBe(false)
      sealer.seal(SECRET, PLACE)
    } finally {
      process.umask(before)
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(readdirSync(folder)).toEqual(['touchstone.db-secret-key'])
  })

  it('is the same after a restart', () => {
    const sealed = inFile().seal(SECRET, PLACE)
    const content = readFileSync(file, 'utf8')
    expect(inFile().open(sealed, PLACE)).toBe(SECRET)
    inFile().seal('another', PLACE)
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it('is one, although many processes need it first at the same time', async () => {
    const program = join(import.meta.dirname, '../../src/secrets/secret-key-file.ts')
    const source = `import { ensureSecretKey } from ${JSON.stringify(program)}
      process.stdout.write(ensureSecretKey(${JSON.stringify(file)}).toString('hex'))`
    const taking = Array.from({ length: 4 }, () => execute(process.execPath, ['--input-type=module', '-e', source]))
    const taken = (await Promise.all(taking)).map(({ stdout }) => stdout)
    expect(new Set(taken)).toEqual(new Set([readFileSync(file, 'utf8').trim()]))
    expect(readdirSync(folder)).toEqual(['touchstone.db-secret-key'])
  })

  it.each(['', 'too short', 'g'.repeat(64)])('that is damaged (%j) is neither used nor overwritten', (content) => {
    writeFileSync(file, content)
    const rejected = () => inFile().seal(SECRET, PLACE)
    expect(rejected).toThrow(AppError)
    // The path is for the log of the server and not for the caller.
    expect(rejected).toThrow(expect.objectContaining({ status: 503, message: expect.not.stringContaining(folder) }))
    expect(readFileSync(file, 'utf8')).toBe(content)
  })

  it.skipIf(process.getuid?.() === 0)('that cannot be written is an error, and nothing is sealed', () => {
    chmodSync(folder, 0o500)
    expect(() => inFile().seal(SECRET, PLACE)).toThrow(expect.objectContaining({ status: 503 }))
    chmodSync(folder, 0o700)
  })

  it('in a missing folder is an error, and nothing is sealed', () => {
    const sealer = createSealer({ secretKeys: [], secretKeyFile: join(folder, 'missing', 'key') })
    expect(() => sealer.seal(SECRET, PLACE)).toThrow(expect.objectContaining({ status: 503 }))
  })

  it('of the operator has precedence over the file, which still opens what was sealed before', () => {
    const before = inFile().seal(SECRET, PLACE)
    const both = createSealer({ secretKeys: [randomBytes(32)], secretKeyFile: file })
    const after = both.seal(SECRET, PLACE)
    expect(both.open(before, PLACE)).toBe(SECRET)
    expect(both.open(after, PLACE)).toBe(SECRET)
    expect(inFile().open(after, PLACE)).toBeUndefined()
  })

  it('that is missing is an error when sealing, with the setting in its message', () => {
    const none = createSealer({ secretKeys: [], secretKeyFile: undefined })
    expect(() => none.seal(SECRET, PLACE)).toThrow(
      expect.objectContaining({ status: 409, message: expect.stringContaining('TOUCHSTONE_SECRET_KEY') }),
    )
    expect(none.open('v1.a.b', PLACE)).toBeUndefined()
  })
})
