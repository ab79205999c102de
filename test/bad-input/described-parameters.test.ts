// @module-tag sized
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import openapi from '../../openapi.json' with { type: 'json' }
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'
import { seedTenant, type Tenant } from '../isolation/seed-tree.ts'

type Schema = {
  $ref?: string
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}
type Parameter = { name: string; in: string; schema: Schema }

/** A text whose grammar no schema describes, and texts that only an earlier response has. */
const NOT_DESCRIBABLE = ['q', 'cursor', 'skip', 'mapping']

const cases = ROUTES.filter(({ access, path }) => access.auth !== 'none' && path !== '/events').flatMap((route) =>
  parametersOf(route.method, route.path).map((parameter) => ({ route, parameter })),
)

describeEachEngine('a value that the description of a query parameter allows', (app) => {
  let tenant: Tenant

  beforeAll(async () => {
    tenant = await seedTenant(app(), 'described')
  })

  it('is never rejected for itself', async () => {
    const rejected: string[] = []
    for (const { route, parameter } of cases) {
      const values = fc.sample(valueFor(parameter.schema), { numRuns: runs(4), seed: 7 })
      for (const value of new Set(values.map(String))) {
        const { method, path, ...sent } = requestOf(route, tenant.ids)
        const url = new URL(path, 'http://x')
        url.searchParams.set(parameter.name, value)
        const { status, text } = await tenant.session.send(method, `${url.pathname}${url.search}`, sent)
        // Conditions on other parameters, and names of what the application has, are no matter of the value alone.
        const isBlamed =
          status === 400 &&
          text.includes(`parameter ${parameter.name} must`) &&
          !/must be (the name of|before to)/.test(text)
        if (isBlamed) rejected.push(`${nameOf(route)} ${parameter.name}=${value}: ${text}`)
      }
    }
    expect(rejected).toEqual([])
  })
})

function parametersOf(method: string, path: string): Parameter[] {
  const paths: Record<string, Record<string, { parameters?: Parameter[] }>> = Object(openapi.paths)
  const operation = paths[path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()]
  return (operation?.parameters ?? []).filter((one) => one.in === 'query' && !NOT_DESCRIBABLE.includes(one.name))
}

function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  const { type, format, pattern, minimum, maximum, minLength = 0, maxLength = 50 } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.$ref === '#/components/schemas/Id') return fc.uuid()
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor))
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: minimum ?? -1_000, max: maximum ?? 2 ** 31 })
  if (type === 'number') return fc.double({ min: minimum ?? -1e300, max: maximum ?? 1e300, noNaN: true })
  if (format === 'uuid') return fc.uuid()
  const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  if (format === 'date-time') return time.map((date) => date.toISOString())
  if (format === 'date') return time.map((date) => date.toISOString().slice(0, 10))
  // Every text of the API excludes U+0000.
  if (pattern !== undefined && !pattern.includes('u0000'))
    return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: Math.max(1, Math.min(maxLength, 50)) })
  return fc.string({ minLength, maxLength: Math.min(maxLength, 50) })
}
