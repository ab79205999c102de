import { describe, expect, it } from 'vitest'
import { readOutputForm } from '../../src/insights/read-output-form.ts'

const json = JSON.stringify
const keys = (...names: string[]) => ({ form: 'json', keys: names })

describe('the format of an output', () => {
  it.each([
    ['no output', null, { form: 'none' }],
    ['white space', ' \n ', { form: 'empty' }],
    ['an empty text as JSON', '""', { form: 'empty' }],
    ['an empty object', '{}', { form: 'empty' }],
    ['an empty list', '[]', { form: 'empty' }],
    ['a message that says nothing', json([{ role: 'assistant', content: '' }]), { form: 'empty' }],
    ['a message of thoughts alone', json([{ role: 'assistant', reasoning: 'hm', content: '' }]), { form: 'empty' }],
    ['words', 'It is sunny.', { form: 'text' }],
    ['a list of words', '["a"]', { form: 'text' }],
    ['a call of a tool', json([{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }]), { form: 'text' }],
    ['an object', '{"b": 1, "a": 2}', keys('a', 'b')],
    ['an object with words that parts of messages have, too', '{"text": "x", "score": 1}', keys('score', 'text')],
    ['objects in a list', '[{"a": 1}, {"b": 1}]', keys('a', 'b')],
    ['an object in a message', json([{ role: 'assistant', content: '{"a": 1}' }]), keys('a')],
    ['an object in parts', json([{ type: 'text', text: '{"a": 1}' }]), keys('a')],
    [
      'an object in the answer of a provider',
      json({ choices: [{ message: { content: '{"a": 1}', role: 'assistant' } }] }),
      keys('a'),
    ],
    ['an object in a fence', '```json\n{"a": 1}\n```', keys('a')],
    ['an object that is not closed', '{"a": 1', { form: 'text' }],
  ])('of %s is recognised', (_, output, answer) => {
    expect(readOutputForm(output)).toEqual(answer)
  })
})
