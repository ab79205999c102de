/** Writes the API description to openapi.json; with `--check`, fails if the committed file is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describeRoutes } from '../src/http/openapi.ts'
import { describedRoutes } from './described-routes.ts'

const FILE = new URL('../openapi.json', import.meta.url)

const fresh = `${JSON.stringify(describeRoutes(describedRoutes()), null, 2)}\n`
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh)
else if (readFileSync(FILE, 'utf8') !== fresh) {
  process.stderr.write('openapi.json is stale; run `npm run generate`\n')
  process.exitCode = 1
}
