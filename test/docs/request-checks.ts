/** Checks of requests in documents, against the description of the API. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

type Operation = {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: object }> }
}
type Description = { paths: Record<string, Record<string, Operation>>; components: object }

const description: Description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'touchstone', components: description.components })

/** What is served outside of the description: pages, OTLP, MCP, the state of the process, sign-in with the library. */
const OTHER_PATHS =
  /^(\/|\/docs|\/guide|\/mcp|\/metrics|\/health|\/ready|(\/api\/v1|\/api\/public\/otel|\/api\/public)?(\/v1)?\/(traces|logs|metrics)|\/api\/auth\/.*|\/shared\/[^/]+)$/

export type Request = { method: string; url: string; body?: string }

/** What is wrong with a request that a document shows; nothing, if the server has this route, parameters and body. */
export function problemsOfRequest({ method, url, body }: Request): string[] {
  const [path = '', query = ''] = url.split('?', 2)
  const operation = findOperation(method, path)
  if (operation === undefined) return OTHER_PATHS.test(path) ? [] : [`${method} ${path} is no route of the server`]
  const known = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
  const names = query
    .split('&')
    .flatMap((part) => part.split('=', 1))
    .filter((name) => /^\w/.test(name))
  const unknown = names.filter((name) => !known.includes(name)).map((name) => `${path} has no parameter ${name}`)
  const schema = operation.requestBody?.content['application/json']?.schema
  if (body === undefined || schema === undefined) return unknown
  const validate = ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"touchstone#/components/')),
  )
  if (validate(JSON.parse(withValues(body)))) return unknown
  return [...unknown, `the body of ${method} ${path}: ${ajv.errorsText(validate.errors)}`]
}

function findOperation(method: string, path: string): Operation | undefined {
  const segments = path.replace(/^\/api\/v1/, '').split('/')
  // A path without parameters comes before one that has a parameter in the same location.
  const candidates = Object.entries(description.paths).filter(([known]) => {
    const parts = known.split('/')
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
  })
  const literal =
    candidates.find(([known]) => !known.includes('{')) ?? candidates.find(([, one]) => one[method.toLowerCase()])
  return literal?.[1][method.toLowerCase()]
}

const ANY_ID = '00000000-0000-7000-8000-000000000000'

/** Documents shorten values, or have them in variables; any id is as good as another. */
function withValues(json: string): string {
  return elided(json).replace(/"(…|\$\w+)"/g, `"${ANY_ID}"`)
}

/** JSON with `…` in place of entries becomes JSON without them. */
export function elided(json: string): string {
  return json
    .replace(/,\s*…(?=\s*[}\]])/g, '')
    .replace(/(?<=[[{])\s*…\s*(?=[}\]])/g, '')
    .replace(/,\s*"…": "…"/g, '')
}
