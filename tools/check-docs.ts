/**
 * Fails when a document names a path that does not exist, has a broken link, refers to a line number, has a comment in
 * a command, or is too long.
 *
 * Usage: node tools/check-docs.ts [folder of the repository]
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, posix } from 'node:path'

const linesMax: Record<string, number> = { 'ARCHITECTURE.md': 150, 'CONTRIBUTING.md': 100, 'README.md': 150 }

/** A path below one of these folders must exist, relative to the root of the repository. */
const topFolders = ['.ci', 'bench', 'deploy', 'docs', 'packages', 'site', 'src', 'test', 'tools', 'web']

/** A name with this ending must be the end of a path in the repository: file names are unique. */
const sourceName = /\.(ts|tsx)$/

/**
 * A name with this ending and without a folder must exist in the root; in a guide such names are the user's own files.
 */
const topFileName = /^\.?[\w-]+(\.[\w-]+)*\.(json|md|ts|yml|yaml)$/

const notOurs = ['**/node_modules/**', '**/dist/**', '**/.venv/**', '.git/**', 'data/**']

export type Checked = { documents: number; errors: string[] }

export function checkDocs(root: string): Checked {
  const paths = globSync('**/*', { cwd: root, exclude: notOurs }).map((path) => path.replaceAll('\\', '/'))
  const documents = paths.filter((path) => path.endsWith('.md')).sort()
  const hidden = globSync('.*', { cwd: root })
  const repository = { root, paths: [...paths, ...hidden] }
  return { documents: documents.length, errors: documents.flatMap((document) => checkDocument(repository, document)) }
}

type Repository = { root: string; paths: string[] }

function checkDocument(repository: Repository, document: string): string[] {
  const text = readFileSync(join(repository.root, document), 'utf8')
  const lines = text.trimEnd().split('\n')
  const errors: string[] = []
  const max = linesMax[document]
  if (max !== undefined && lines.length > max) errors.push(`${document}:1 has ${lines.length} lines, ${max} at most`)

  for (const line of commentedCommands(lines)) {
    errors.push(
      `${document}:${line} has a comment in a command: zsh does not know them at its prompt; explain it in the text`,
    )
  }

  for (const [index, line] of withoutFences(lines).entries()) {
    const problems = [
      ...namedPaths(line).map((path) => problemOfPath(repository, document, path)),
      ...linkTargets(line).map((target) => problemOfLink(repository.root, document, target)),
    ]
    for (const problem of problems) if (problem) errors.push(`${document}:${index + 1} ${problem}`)
  }
  return errors
}

/** Blanks the lines of code blocks, so that line numbers stay the same. */
function withoutFences(lines: string[]): string[] {
  let fence: string | undefined
  return lines.map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (fence === undefined && mark === undefined) return line
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    return ''
  })
}

/**
 * Returns the numbers of the lines with a comment in `sh` blocks. Readers paste these blocks, and interactive zsh has
 * no comments by default.
 */
function commentedCommands(lines: string[]): number[] {
  let isInside = false
  return lines.flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isInside = /^\s*(```|~~~)sh\b/.test(line)
      return []
    }
    const unquoted = line.replace(/'[^']*'|"(\\.|[^"\\])*"/g, '')
    return isInside && /(^|\s)#/.test(unquoted) ? [index + 1] : []
  })
}

/** Returns the words in backticks: a command in backticks may name paths, too. */
function namedPaths(line: string): string[] {
  return [...line.matchAll(/(`+)(.+?)\1(?!`)/g)]
    .flatMap((code) => (code[2] ?? '').split(/\s+/))
    .map((word) => word.replace(/^["'(]+|["'),;]+$/g, '').replace(/^\.\//, ''))
    .filter((word) => word !== '' && !word.includes('://') && !word.startsWith('-'))
}

function problemOfPath({ paths }: Repository, document: string, word: string): string | undefined {
  const [path = '', lineNumber] = splitLineNumber(word)
  const isBelowTop = topFolders.some((folder) => path.startsWith(`${folder}/`))
  const isSource = sourceName.test(path) && !path.startsWith('/') && path !== '.ts' && path !== '.tsx'
  const isTopFile = topFileName.test(path) && !document.startsWith('docs/guide/')
  if (!isBelowTop && !isSource && !isTopFile) return undefined
  if (lineNumber) return `names ${word}: no line numbers behind paths, they rot first`

  // <name>, … and ${name} match anything.
  const pattern = path
    .replace(/<[^>]*>|\$\{[^}]*\}|…/g, '*')
    .replace(/\/+$/, '')
    .replace(/[[\]()$]/g, '\\$&')
  // A tool may be named without its extension, and a document by its name alone from the same folder.
  const sibling = posix.join(posix.dirname(document), pattern)
  const wanted = isBelowTop ? [pattern, `${pattern}.ts`] : isSource ? [pattern, `**/${pattern}`] : [pattern, sibling]
  const isThere = paths.some((existing) => wanted.some((one) => matchesGlob(existing, one)))
  return isThere ? undefined : `names ${path}: there is no such path in the repository`
}

function splitLineNumber(word: string): [string, boolean] {
  const bare = word.replace(/(:\d+(-\d+)?(:\d+)?|#L\d+.*)$/, '')
  return [bare, bare !== word]
}

/** Returns the targets of links, images and link definitions, except those in backticks. */
function linkTargets(line: string): string[] {
  const prose = line.replace(/(`+).+?\1(?!`)/g, '')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+["'][^)]*)?\)/g)]
  const defined = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)>?/g)]
  return [...inline, ...defined].flatMap((match) => match[1] ?? [])
}

function problemOfLink(root: string, document: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return undefined
  const [file = '', anchor] = target.split('#')
  if (anchor !== undefined && /^L\d+/.test(anchor)) return `links to ${target}: no line numbers behind paths`
  if (file.startsWith('/')) return `links to ${target}: write it relative to the document`
  const path = file === '' ? document : posix.join(posix.dirname(document), decodeURI(file))
  if (path.startsWith('..')) return `links to ${target}: it leads out of the repository`
  if (!existsSync(join(root, path))) return `links to ${target}: no such file`
  if (!anchor || !path.endsWith('.md')) return undefined
  return headingAnchors(join(root, path)).includes(anchor) ? undefined : `links to ${target}: no such heading`
}

/** Returns the anchors that GitHub generates, with -1, -2 … for repeated headings. */
function headingAnchors(path: string): string[] {
  const seen = new Map<string, number>()
  return withoutFences(readFileSync(path, 'utf8').split('\n')).flatMap((line) => {
    const title = /^#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1]
    if (title === undefined) return []
    const shown = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const anchor = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const repeated = seen.get(anchor) ?? 0
    seen.set(anchor, repeated + 1)
    return [repeated === 0 ? anchor : `${anchor}-${repeated}`]
  })
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(dirname(import.meta.filename), '..')
  const { documents, errors } = checkDocs(root)
  for (const error of errors) console.error(error)
  console.log(`check-docs: ${documents} documents, ${errors.length} errors`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
