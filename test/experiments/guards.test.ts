import { describe, expect, it } from 'vitest'
import { checkProposal, type GuardSettings } from '../../src/experiments/guards/check-proposal.ts'
import { copiedPhrase, textsIn } from '../../src/experiments/guards/copied-phrase.ts'

const START = [
  { role: 'system', content: 'Classify the ticket as billing or other. Never promise a refund.' },
  { placeholder: 'history' },
  { role: 'user', content: '{{question}}' },
]
const SETTINGS: GuardSettings & { items: string[] } = {
  start: START,
  startTools: [],
  frozen: ['/messages/2'],
  frozenTexts: ['Never promise a refund.'],
  labels: ['billing', 'other', 'shipping'],
  maxPromptTokens: 100,
  items: [],
}

function withSystem(content: string) {
  return [{ role: 'system', content }, ...START.slice(1)]
}

describe('the guards of a proposal', () => {
  it('accept the start, and a prompt that only adds rules', () => {
    expect(checkProposal({ messages: START }, SETTINGS)).toBeUndefined()
    const better = withSystem('Classify the ticket as billing or other. Never promise a refund. Invoices are billing.')
    expect(checkProposal({ messages: better }, SETTINGS)).toBeUndefined()
  })

  it.each([
    [
      'a variable is lost',
      [START[0], START[1], { role: 'user', content: 'the question' }],
      /lost the variable question/,
    ],
    ['a variable is added', withSystem('{{tone}} billing other Never promise a refund.'), /added the variable tone/],
    ['a placeholder is lost', [START[0], START[2]], /lost the placeholder history/],
    [
      'a frozen message changes',
      [START[0], START[1], { role: 'user', content: 'Q: {{question}}' }],
      /changed \/messages\/2/,
    ],
    ['a frozen text is lost', withSystem('Classify as billing or other.'), /lost the frozen text "Never promise/],
    ['a label is lost', withSystem('Classify as billing. Never promise a refund.'), /lost the label "other"/],
  ])('reject a prompt in which %s', (_, proposed, reason) => {
    const messages = proposed.flatMap((message) => message ?? [])
    expect(checkProposal({ messages }, SETTINGS)).toMatchObject({
      fate: 'frozen',
      reason: expect.stringMatching(reason),
    })
  })

  it('reject a prompt that is too long', () => {
    const long = withSystem(`billing other Never promise a refund. ${'Be kind. '.repeat(50)}`)
    expect(checkProposal({ messages: long }, SETTINGS)).toMatchObject({ fate: 'tooLong' })
  })

  it('reject a prompt with a phrase of an item, and do not repeat the phrase', () => {
    const item = 'My invoice from the ninth of May shows the wrong amount twice'
    const copied = withSystem(`billing other Never promise a refund. ${item.toUpperCase()}.`)
    const found = checkProposal({ messages: copied }, { ...SETTINGS, items: [item] })
    expect(found).toMatchObject({ fate: 'copied' })
    expect(found?.reason).not.toMatch(/invoice/i)
  })
})

describe('copied phrases', () => {
  it('are eight words or 40 characters in a row, without regard to case and punctuation between words', () => {
    const items = ['One, two; three four five six seven eight nine']
    const found = (text: string) => copiedPhrase([text], { items, start: [] })
    expect(found('ONE two three four five six seven eight')).toBe('one two three four five six seven eight')
    expect(found('two three, four five six and seven eight')).toBeUndefined()
    const long = 'x'.repeat(10)
    const code = `${long}-${long}_${long}/${long}`
    expect(copiedPhrase([`see ${code}`], { items: [code], start: [] })).toBeDefined()
    expect(copiedPhrase([`see ${code.slice(0, 39)}`], { items: [code], start: [] })).toBeUndefined()
  })

  it('of the start are none', () => {
    const rule = 'always answer in the language of the person who asks'
    expect(copiedPhrase([rule], { items: [rule], start: [rule] })).toBeUndefined()
  })

  it('are looked for in the texts of JSON, not in its notation', () => {
    expect(textsIn('{"question":"a","turns":[{"text":"b"},3,null]}')).toEqual(['a', 'b'])
    expect(textsIn('{ not json')).toEqual(['{ not json'])
    expect(textsIn(null)).toEqual([])
  })
})
