/**
 * Writes openapi.json as TypeScript types for the web interface and the SDK. Client and server share only the API description: neither
 * imports anything from the server. The types are not committed: they are written at installation and before each type check.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

const FOLDERS = ['../web/src/api/generated/', '../packages/sdk/src/generated/']

const description: OpenAPI3 = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
  withoutFailedResponses,
)
const types = await openapiTS(description, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  emptyObjectsUnknown: true,
})
for (const folder of FOLDERS) {
  const path = fileURLToPath(new URL(folder, import.meta.url))
  mkdirSync(path, { recursive: true })
  writeFileSync(`${path}api.ts`, astToString(types))
}

/** The client throws the same error for all of them; their types would be two thirds of the file. */
function withoutFailedResponses(key: string, value: unknown): unknown {
  if (key !== 'responses' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith('2')))
}
