import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { expectError, expectUnauthorized } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('GET /evaluators', (app) => {
  it('200 lists every kind with its inputs and a JSON Schema of its options, to build forms from', async () => {
    const { client } = await app().newWorkspace()
    const kinds = await client.list('/evaluators')
    expect(kinds.map(({ type }) => type)).toEqual(EVALUATOR_DEFINITIONS.map(({ type }) => type))
    expect(kinds.find(({ type }) => type === 'contains')).toEqual({
      type: 'contains',
      summary: expect.stringMatching(/contains a text/),
      kind: 'binary',
      needs: ['output'],
      options: expect.objectContaining({ type: 'object', additionalProperties: false }),
    })
    const ajv = new Ajv({ strict: false })
    for (const { options } of kinds) expect(ajv.validateSchema(Object(options))).toBe(true)
  })

  it('200 in pages, as every list', async () => {
    const { client } = await app().newWorkspace()
    const [, second, third] = EVALUATOR_DEFINITIONS.map(({ type }) => type)
    expect((await client.list('/evaluators?limit=2&offset=1')).map(({ type }) => type)).toEqual([second, third])
    expectError(await client.get('/evaluators?limit=0'), 400, /limit/)
  })

  it('401 for a caller without a key', async () => {
    expectUnauthorized(await app().anonymous.get('/evaluators'))
  })
})
