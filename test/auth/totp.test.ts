import { expect, it } from 'vitest'
import { isTotpCode, newTotpSecret, totpUri } from '../../src/auth/second-factor/totp.ts'
import { totpCode } from '../harness/totp.ts'

/** RFC 6238, appendix B, for SHA-1: the last six digits of the published eight. */
const VECTORS = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

it.each(VECTORS)('the code at %i seconds is the one of RFC 6238', (seconds, code) => {
  expect(isTotpCode('12345678901234567890', code, seconds * 1_000)).toBe(true)
})

it('a code is valid in its 30 seconds and in those before and after them, and no longer', () => {
  const secret = newTotpSecret()
  const start = 1_800_000_000_000
  const code = totpCode(totpUri(secret, 'ann@example.com'), start)
  const isValidAt = (seconds: number) => isTotpCode(secret, code, start + seconds * 1_000)
  expect([-31, -30, 0, 59, 60].map(isValidAt)).toEqual([false, true, true, true, false])
})

it.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', '\u{1f600}\u{1f600}\u{1f600}', '-12345', '1e5   '])(
  'the code %j is wrong, and no error',
  (code) => {
    expect(isTotpCode(newTotpSecret(), code, 0)).toBe(false)
  },
)
