import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkPassword,
  hashPassword,
  needsRehash,
  usePasswordCost,
  verifyPassword,
} from '../../src/auth/accounts/passwords.ts'

// Another file of the same process may have changed it.
beforeAll(() => usePasswordCost('recommended'))

describe('hashPassword', () => {
  it('a hash contains its parameters, is salted, and matches only its password', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(second).not.toBe(first)
    expect(await verifyPassword('correct horse', first)).toBe(true)
    expect(await verifyPassword('Correct horse', first)).toBe(false)
    expect(needsRehash(first)).toBe(false)
  })

  it('no character is lost or folded, for passwords of any length', async () => {
    const long = `${'x'.repeat(127)}é`
    const hash = await hashPassword(long)
    expect(await verifyPassword(`${'x'.repeat(127)}e\u0301`, hash)).toBe(false)
    expect(await verifyPassword(long.slice(0, -1), hash)).toBe(false)
    expect(await verifyPassword(long, hash)).toBe(true)
  })

  it('the twenty-third password at the same moment is rejected with 429, and the others are hashed', async () => {
    const results = await Promise.allSettled(Array.from({ length: 23 }, () => hashPassword('correct horse')))
    const rejected = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
    expect(rejected).toEqual([expect.objectContaining({ status: 429, headers: { 'retry-after': '1' } })])
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id/)
  })
})

describe('verifyPassword', () => {
  it('understands a hash of another program with other parameters, and wants it renewed', async () => {
    // From the reference implementation's tests (phc-winner-argon2, test.c): password "password", salt "somesalt".
    const foreign = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', foreign)).toBe(true)
    expect(await verifyPassword('differentpassword', foreign)).toBe(false)
    expect(needsRehash(foreign)).toBe(true)
  })

  it.each(['', 'plain', '$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA', '$argon2id$v=19$m=x,t=1,p=1$a$b'])(
    'no password matches what is no hash: %j',
    async (stored) => {
      expect(await verifyPassword('password', stored)).toBe(false)
      expect(await verifyPassword('', stored)).toBe(false)
    },
  )
})

describe('checkPassword', () => {
  const sentenceFor = (password: string, email = 'ann.the.engineer@example.com') => {
    try {
      checkPassword(password, { email, names: ['Ann Ingeborg Engineer', 'Invoice helper'] })
      return 'accepted'
    } catch (error) {
      return error instanceof Error ? error.message : 'something else was thrown'
    }
  }

  it.each([
    'correct horse battery',
    'no digits nor signs',
    'ünïcödé wörds',
    '🐴🔋🐴🔋 four times',
    'x7#kP!qz&Lm2',
    'sixteen letters '
      .repeat(8)
      .replaceAll('e', (_, place) => String(place))
      .slice(0, 128),
    'monkey-tiger-99 in the zoo',
    'dragon fruit for breakfast',
  ])('a password needs no composition: %j is accepted', (password) => {
    expect(sentenceFor(password)).toBe('accepted')
  })

  it('counts characters as people do, not bytes', () => {
    expect(sentenceFor('🐴🔋🥕🌧🚀🎻🧭🪴🧊🎈🍋')).toContain('at least 12')
    expect(sentenceFor('🐴🔋🥕🌧🚀🎻🧭🪴🧊🎈🍋🎯')).toBe('accepted')
    expect(sentenceFor(`${'x y'.repeat(43)}`)).toContain('at most 128')
  })

  it.each([
    ['short', 'at least 12'],
    ['1qaz2wsx3edc4rfv', 'sequence'],
    ['aaaaaaaaaaaa', 'repeats'],
    ['abcabcabcabc', 'repeats'],
    ['passwordpassword', 'repeats'],
    ['123456789012', 'sequence'],
    ['zyxwvutsrqponm', 'sequence'],
    ['Qwertyuiopasdf', 'sequence'],
    ['password2026!', 'common'],
    ['Dragon123456', 'common'],
    ['justinbieber', 'common'],
    ['UNBELIEVABLE', 'common'],
    ['correcthorsebatterystaple', 'common'],
    ['Correct Horse Battery Staple', 'common'],
    ['correct-horse-battery-staple-1!', 'common'],
    ['May the Force be with you', 'common'],
    ['sleepyhollow', 'common'],
    ['aabbccddeeff', 'sequence'],
    ['!@#$%^&*()_+', 'sequence'],
    ['qweasdzxcqweasd', 'easy to guess'],
    ['Ann Ingeborg Engineer', 'easy to guess'],
    ['touchstone touchstone', 'easy to guess'],
    ['ann.the.engineer@example.com', 'e-mail'],
    ['Ann.The.Engineer', 'e-mail'],
    ['ann.the.engineer1', 'e-mail'],
    ['Touchstone2026!', 'easy to guess'],
    ['touchst0ne-2026', 'easy to guess'],
    ['T0uch$tone12345', 'easy to guess'],
    ['Winter2026!!', 'easy to guess'],
    ['Summer-2025-Summer', 'easy to guess'],
    ['P4$$w0rd2026!', 'easy to guess'],
    ['!!Welcome2026!!', 'easy to guess'],
    ['example2026!?', 'easy to guess'],
    ['Ingeborg1985!', 'easy to guess'],
    ['invoice-helper-1', 'easy to guess'],
    ['aaaaaabbbbbbcccccc', 'sequence'],
    ['aaaaaabbbbbbxxxxxx', 'easy to guess'],
    ['qwerty-123456-asdfgh', 'easy to guess'],
  ])('%j, which is easily guessed, is rejected with a reason', (password, reason) => {
    expect(sentenceFor(password)).toContain(reason)
  })
})
