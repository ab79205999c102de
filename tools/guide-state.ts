import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Everything that the built guide depends on. Folders, too: a deleted file changes only its folder. */
const SOURCES = [
  '{README,CHANGELOG}.md',
  'docs/security.md',
  'docs/{guide,screenshots}{,/*}',
  'site/*.ts',
  'site/src/**',
  'tools/build-guide.ts',
  'web/src/{fonts,styles}.css',
]

/** Whether dist/guide is there, and newer than its sources. */
export function guideState(root: string): 'missing' | 'outdated' | 'current' {
  const built = join(root, 'dist/guide/llms-full.txt')
  if (!existsSync(built)) return 'missing'
  const { mtimeMs } = statSync(built)
  const isOutdated = globSync(SOURCES, { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs > mtimeMs)
  return isOutdated ? 'outdated' : 'current'
}
