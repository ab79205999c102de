/**
 * Writes the named schemas of openapi.json as TypeScript types for the web interface; with `--check`, fails if they
 * are stale. Client and server share only the API description: the web interface imports nothing from the server.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Schema, schemaType } from './schema-type.ts'

const FILE = fileURLToPath(new URL('../web/src/api/generated/resources.ts', import.meta.url))
const source = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
const { components }: { components: { schemas: Record<string, Schema> } } = JSON.parse(source)

const types = Object.entries(components.schemas).map(
  ([name, schema]) => `export type ${name} = ${schemaType(schema)}\n`,
)
const fresh = `// Written by tools/generate-types.ts from openapi.json; do not edit.\n\n${types.join('\n')}`

if (process.argv.includes('--check')) {
  if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== fresh) {
    process.stderr.write('web/src/api/generated/resources.ts is stale; run `npm run generate`\n')
    process.exitCode = 1
  }
} else {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, fresh)
}
