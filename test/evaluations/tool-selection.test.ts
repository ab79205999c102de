import { describe, expect, it } from 'vitest'
import { reasonOf, scoreOf } from './verdict-of.ts'

const ENTRY = { type: 'toolSelection' }
const call = (name: string) => ({ id: 'call_1', name, arguments: '{"city":"Paris"}' })

describe('toolSelection', () => {
  it.each([
    ['the expected tool, without case', 'Get_Weather', [call('get_weather')]],
    ['the same tool twice', 'search', [call('search'), call('search')]],
    ['a message of OpenAI', 'search', { tool_calls: [{ function: { name: 'search', arguments: '{}' } }] }],
    ['the name as JSON', '"search"', [call('search')]],
  ])('accepts %s', (_, expected, output) => {
    expect(scoreOf(ENTRY, { expected, output: JSON.stringify(output) })).toBe(1)
  })

  it.each(['', 'none', 'No tool', 'no-tool', 'no_tool', 'no tool call', 'no-tool-call', 'no_tool_call', 'no tools'])(
    'accepts an answer without a call where %j is expected',
    (expected) => {
      expect(scoreOf(ENTRY, { expected, output: 'It is sunny.' })).toBe(1)
      expect(scoreOf(ENTRY, { expected, output: JSON.stringify([call('search')]) })).toBe(0)
    },
  )

  it.each(['no_tools', 'N/A', 'na', '-', '__NO_TOOL__'])('and where %j is', (expected) => {
    expect(scoreOf(ENTRY, { expected, output: 'It is sunny.' })).toBe(1)
  })

  it('reads calls as outputs show them', () => {
    expect(scoreOf(ENTRY, { expected: 'search', output: 'search({"city":"Paris"})\nsearch({})' })).toBe(1)
    expect(scoreOf(ENTRY, { expected: 'search', output: 'search({})\nbook({"at":"(noon)"})' })).toBe(0)
    expect(scoreOf(ENTRY, { expected: 'none', output: 'search()' })).toBe(0)
    expect(scoreOf(ENTRY, { expected: 'none', output: 'Nothing (really).' })).toBe(1)
  })

  it('rejects another tool, a further one, and none', () => {
    const cases = [[call('book')], [call('search'), call('book')]]
    for (const output of cases) expect(scoreOf(ENTRY, { expected: 'search', output: JSON.stringify(output) })).toBe(0)
    expect(scoreOf(ENTRY, { expected: 'search', output: 'I would search.' })).toBe(0)
    expect(reasonOf(ENTRY, { expected: 'search', output: '{"city": "Paris"}' })).toBe('expected “search”, got no tool')
    expect(scoreOf(ENTRY, { expected: 'search', output: ' Search ' })).toBe(1)
  })
})
