/** Prompts with as many variables as a version has room for, and items that are read for each of them. */
import { describe, expect, it } from 'vitest'
import { checkProposal } from '../../src/experiments/guards/check-proposal.ts'
import { itemValues } from '../../src/playground/item-values.ts'
import { renderPrompt } from '../../src/prompts/calls/render-prompt.ts'
import { diffVersions } from '../../src/prompts/diff-versions.ts'
import { valuesOf } from '../../src/trials/item-variables.ts'
import { neededMs } from './processor-time.ts'

/** Work that grows with the square of the names needs seconds. */
const LIMIT_MS = 200

const names = (letter: string, count: number) => Array.from({ length: count }, (_, place) => `${letter}${place}`)
const messagesOf = (variables: readonly string[]) => [
  { role: 'user', content: variables.map((name) => `{{${name}}}`).join('') },
]
const contentOf = (variables: readonly string[]) => ({
  messages: messagesOf(variables),
  provider: null,
  model: null,
  parameters: {},
  tools: [],
  responseFormat: null,
})
const textsOf = (variables: readonly string[]) => Object.fromEntries(variables.map((name) => [name, 'a']))

const [some, others] = [names('a', 24_000), names('b', 24_000)]

describe('a prompt with thousands of variables', () => {
  it('is compared with another one', () => {
    const [before, after] = [contentOf(some), contentOf(others)]
    expect(neededMs(() => Array.from(diffVersions(before, after)))).toBeLessThan(LIMIT_MS)
  })

  it('is rendered, with as many values that it does not use', () => {
    const messages = messagesOf(some.slice(0, 9_000))
    const values = { ...textsOf(some.slice(0, 9_000)), ...textsOf(others.slice(0, 9_000)) }
    expect(neededMs(() => renderPrompt(messages, values))).toBeLessThan(LIMIT_MS)
  })

  it('gets its values from an item', () => {
    const input = JSON.stringify(textsOf(some))
    expect(neededMs(() => itemValues(input, messagesOf(some), {}))).toBeLessThan(LIMIT_MS)
  })

  it('is checked as a proposal', () => {
    const proposed = { messages: messagesOf(some), tools: [] }
    const settings = { start: messagesOf(some), startTools: [], frozen: [], frozenTexts: [], labels: [], items: [] }
    expect(neededMs(() => checkProposal(proposed, { ...settings, maxPromptTokens: 1 }))).toBeLessThan(LIMIT_MS)
  })

  it('gets the same large part of an item for each of them, read once', () => {
    const variables = Object.fromEntries(some.slice(0, 2_000).map((name) => [name, 'input.all']))
    const item = { input: JSON.stringify({ all: names('c', 40_000) }), metadata: null }
    const messages = messagesOf(some.slice(0, 2_000))
    expect(neededMs(() => valuesOf(item, messages, variables))).toBeLessThan(LIMIT_MS)
    const values = valuesOf(item, messages, variables)
    expect(neededMs(() => expect(() => renderPrompt(messages, values)).toThrow('shorten a0'))).toBeLessThan(LIMIT_MS)
  })
})
