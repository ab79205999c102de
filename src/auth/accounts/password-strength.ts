/**
 * Estimates the number of guesses that an attacker with word lists needs, after zxcvbn (Wheeler, USENIX Security 2016): splits the
 * password into the pieces that are cheapest to guess and adds their costs, as powers of ten.
 */
import { commonPasswords } from './common-passwords.ts'

/** A character that belongs to no pattern. */
const CHARACTER_COST = 1
/** For the possible positions of a piece. */
const PIECE_COST = 0.3
/** A name that attackers try first: of the product, the user or the company. */
const CONTEXT_COST = 0.5
const SUBSTITUTION_COST = 0.5
/** About 160 years. */
const YEAR_COST = 2.2
const RUN_COST = 1.5
const RUN_LENGTH_MIN = 3
const DOUBLE_COST = 1.2
/** A piece that occurs earlier in the password. */
const REPEATED_COST = 0.5
const REPEATED_LENGTH_MIN = 4
const COMMON_LENGTH_MIN = 4
/** Limits the work to linear in the length of the password, not quadratic. */
const PIECE_LENGTH_MAX = 24

/** Returns the decimal logarithm of the number of guesses. `context` contains words that are related to the account. */
export function estimateGuesses(password: string, context: readonly string[]): number {
  const lower = password.toLowerCase()
  const spellings = [lower, ...['i', 'l'].map((one) => withoutSubstitutions(lower, one))]
  const characters = [...lower]
  const known = new Set(context.map((word) => word.toLowerCase()))
  // costs[end] is the cheapest way to guess everything before `end`.
  const costs = [0]
  let end = 0
  for (const character of characters) {
    const start = end
    end += character.length
    let cheapest = (costs[start] ?? Infinity) + CHARACTER_COST
    for (let begin = Math.max(0, end - PIECE_LENGTH_MAX); begin <= start; begin += 1) {
      const before = costs[begin]
      if (before === undefined) continue
      const pieces = spellings.map((spelling) => spelling.slice(begin, end))
      const isRepeated = end - begin >= REPEATED_LENGTH_MIN && lower.slice(0, begin).includes(lower.slice(begin, end))
      cheapest = Math.min(cheapest, before + PIECE_COST + (isRepeated ? REPEATED_COST : costOf(pieces, known)))
    }
    costs[end] = cheapest
  }
  return costs[end] ?? 0
}

/** The cost of a piece; infinity if it matches no pattern. The first spelling is the piece itself. */
function costOf(spellings: readonly string[], context: ReadonlySet<string>): number {
  const [piece = ''] = spellings
  if (/^(19\d\d|20[0-5]\d)$/.test(piece)) return YEAR_COST
  if (isRun(piece)) return RUN_COST
  if (/^(.)\1$/u.test(piece)) return DOUBLE_COST
  const costs = spellings.map((word, index) => wordCost(word, context) + (index === 0 ? 0 : SUBSTITUTION_COST))
  return Math.min(...costs)
}

function wordCost(word: string, context: ReadonlySet<string>): number {
  if (context.has(word)) return CONTEXT_COST
  if (word.length < COMMON_LENGTH_MIN) return Infinity
  const rank = rankOf(word)
  return rank === undefined ? Infinity : Math.log10(rank)
}

const SEQUENCES = [
  'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
  '0123456789'.repeat(13),
  '1234567890qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1q2w3e4r5t6y7u8i9o0p',
  '!@#$%^&*()_+',
]

/** A repeated character, or consecutive characters of the alphabet or a keyboard, in either direction. */
function isRun(piece: string): boolean {
  if (piece.length < RUN_LENGTH_MIN) return false
  return [...piece].every((character) => piece.startsWith(character)) || isSequence(piece)
}

export function isSequence(text: string): boolean {
  const backwards = [...text].reverse().join('')
  return SEQUENCES.some((sequence) => sequence.includes(text) || sequence.includes(backwards))
}

const SUBSTITUTIONS = new Map(
  Object.entries({ '0': 'o', '3': 'e', '4': 'a', '@': 'a', '5': 's', $: 's', '7': 't', '!': 'i' }),
)

/** Converts `p4$$w0rd` to `password`. The digit 1 may replace two letters; `one` is the letter to use. */
function withoutSubstitutions(text: string, one: string): string {
  return text.replace(/[0-9@$!]/g, (sign) => (sign === '1' ? one : (SUBSTITUTIONS.get(sign) ?? sign)))
}

let ranks: Map<string, number> | undefined

/** 1 for the most common password; undefined for a password that is not common. */
export function rankOf(password: string): number | undefined {
  ranks ??= new Map([...commonPasswords()].map((common, index) => [common, index + 1]))
  return ranks.get(password)
}
