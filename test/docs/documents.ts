import { readFileSync } from 'node:fs'

export const DOCUMENTS = {
  readme: 'README.md',
  operations: 'docs/guide/operations.md',
  instrumentation: 'docs/guide/instrumentation.md',
  tutorial: 'docs/guide/tutorial.md',
  prompts: 'docs/guide/prompts.md',
  endpoints: 'docs/guide/endpoints.md',
  trials: 'docs/guide/trials.md',
  experiments: 'docs/guide/experiments.md',
  sdkPython: 'docs/guide/sdk-python.md',
  sdkTypeScript: 'docs/guide/sdk-typescript.md',
} as const

export type Document = keyof typeof DOCUMENTS

export function textOf(document: Document): string {
  return readFileSync(new URL(`../../${DOCUMENTS[document]}`, import.meta.url), 'utf8')
}

/** The text between the start and end marks of a section. */
export function sectionOf(document: Document, name: string): string {
  return textBetween(document, `<!-- ${name}:start -->`, `<!-- ${name}:end -->`)
}

/** The text from `start` to `end`, or to the end of the document. */
export function textBetween(document: Document, start: string, end?: string): string {
  const text = textOf(document)
  const from = text.indexOf(start)
  const to = end === undefined ? text.length : text.indexOf(end, from)
  if (from < 0 || to < from) throw new Error(`${DOCUMENTS[document]} has no text between ${start} and ${end}`)
  return text.slice(from, to)
}

type Language = 'sh' | 'ts' | 'json' | 'python' | 'yaml'

/** The code blocks of a section in one language. */
export function blocksOf(document: Document, name: string, language: Language = 'sh'): string[] {
  return codeBlocks(sectionOf(document, name), language)
}

export function codeBlocks(text: string, language: Language): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block)
}

/** The blocks as a reader edits them: with the address of the server and the keys, in the order of their placeholders. */
export function filledIn(blocks: readonly string[], url: string, keys: readonly string[]): string[] {
  const left = [...keys]
  return blocks.map((block) =>
    block.replaceAll('http://127.0.0.1:3000', url).replaceAll('tsk_…', () => left.shift() ?? 'tsk_…'),
  )
}
