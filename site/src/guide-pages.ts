/** The pages of the guide: which documents of the repository they are, and what is derived from their text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripComments } from './markdown-text.ts'

export type GuidePage = {
  /** The last part of its address; `index` is the start page. */
  id: string
  /** Path from the root of the repository. */
  document: string
  title: string
  description: string
  /** The Markdown as it is in the repository. */
  text: string
}

export const REPOSITORY = join(import.meta.dirname, '../..')

export const BASE = '/guide'

const OTHER_DOCUMENTS = { index: 'README.md', security: 'docs/security.md', changelog: 'CHANGELOG.md' }

/** Reads all documents: every file of docs/guide is a page, without a list of them. */
export function readGuidePages(root: string = REPOSITORY): GuidePage[] {
  const guides = readdirSync(join(root, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => [name.replace(/\.md$/, ''), `docs/guide/${name}`] as const)
  return [...Object.entries(OTHER_DOCUMENTS), ...guides].map(([id, document]) => {
    const text = readFileSync(join(root, document), 'utf8')
    const title = /^# (.+)$/m.exec(text)?.[1]
    if (title === undefined) throw new Error(`${document} has no first heading, which is the title of its page`)
    return { id, document, title, description: describe(text), text }
  })
}

const DESCRIPTION_LENGTH_MAX = 200

/**
 * The first sentences of the introduction, or else the names of the sections: the text below a link of a search engine,
 * or of `llms.txt`.
 */
function describe(text: string): string {
  const [introduction = '', ...sections] = stripComments(text).split(/^## /m)
  const [, ...paragraphs] = introduction.split(/\n\s*\n/)
  const paragraph = paragraphs.find((one) => /^([\p{L}*[]|`[^`])/u.test(one.trim()))
  if (paragraph === undefined) return `${sections.map((section) => section.split('\n', 1)[0]).join(', ')}.`
  const plain = paragraph
    .trim()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
  const [first = '', ...others] = plain.split(/(?<=[.!?]) (?=\p{Lu})/u)
  let described = first.replace(/:$/, '.')
  for (const sentence of others) {
    if (described.length + sentence.length >= DESCRIPTION_LENGTH_MAX || sentence.endsWith(':')) break
    described += ` ${sentence}`
  }
  return described
}
