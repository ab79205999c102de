/**
 * Holds every answer that any test sees against the published OpenAPI description: a status or a field that it does not know
 * fails the test that saw it.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> }
type Description = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } }

const description: Description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
// Most schemas check a few responses: optimizing them, copying what they refer to, and checking them would need more time than all uses.
const quickly = { inlineRefs: false, meta: false, validateSchema: false, code: { optimize: false } }
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, ...quickly })
ajv.addSchema({ $id: 'touchstone', components: description.components })
const validators = new Map<object, ValidateFunction>()
const paths = Object.entries(description.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^/api/v1${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
  path,
  operations,
}))

const isError = ajv.compile({
  type: 'object',
  properties: { error: { type: 'string', minLength: 1, maxLength: 500 } },
  required: ['error'],
  additionalProperties: false,
})

type CheckedAnswer = { status: number; text: string; headers: Headers }

export function checkAgainstDescription(method: string, url: string, answer: CheckedAnswer): void {
  const path = url.split('?', 1)[0] ?? ''
  const where = `${method} ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`
  // The one foreign contract: OTLP has a form of its own for errors.
  if (method === 'POST' && /\/v1\/(traces|logs|metrics)$/.test(path)) return
  if (answer.status >= 400 && answer.text !== '' && !isError(JSON.parse(answer.text))) {
    throw new Error(`${where}: an error is exactly {"error": "<message>"}`)
  }
  const operation = paths.find(({ pattern }) => pattern.test(path))?.operations[method.toLowerCase()]
  if (!operation) return
  const declared = operation.responses[answer.status]
  if (!declared) throw new Error(`${where}: the description does not know this status`)
  const [mediaType = ''] = (answer.headers.get('content-type') ?? '').split(';')
  // A file that may also be requested as JSON.
  if (mediaType !== 'application/json' && declared.content?.[mediaType]) return
  const schema = declared.content?.['application/json']?.schema
  if (!schema) {
    if (answer.text !== '' && answer.status === 204) throw new Error(`${where}: a deletion has no body`)
    return
  }
  const validate = validators.get(schema) ?? ajv.compile(withRefs(schema))
  validators.set(schema, validate)
  if (!validate(JSON.parse(answer.text))) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}`)
}

/** References are to the description's own components, which are registered under a name of their own. */
function withRefs(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"touchstone#/components/'))
}
