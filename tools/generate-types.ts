/**
 * Writes openapi.json as TypeScript types for the web interface and the SDK. Client and server share only the API description: neither
 * imports anything from the server. The types are not committed: they are written at installation and before each type check.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { postsWithoutKey } from './posts-without-key.ts'

const SDK_FOLDER = '../packages/sdk/src/generated/'
const FOLDERS = ['../web/src/api/generated/', SDK_FOLDER]

const text = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
const description: OpenAPI3 = JSON.parse(text, withoutFailedResponses)
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
const paths = JSON.stringify(postsWithoutKey(JSON.parse(text)), null, 2)
writeFileSync(
  fileURLToPath(new URL(`${SDK_FOLDER}posts-without-key.ts`, import.meta.url)),
  `export const POSTS_WITHOUT_KEY: ReadonlySet<string> = new Set(${paths})\n`,
)

/** The client throws the same error for all of them; their types would be two thirds of the file. */
function withoutFailedResponses(key: string, value: unknown): unknown {
  if (key !== 'responses' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([status]) => status.startsWith('2')))
}
