import { readFileSync } from 'node:fs'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The text between two marks of the README, or from a mark to a heading. */
export function readmeSection(name: string): string {
  return textBetween(`<!-- ${name}:start -->`, `<!-- ${name}:end -->`)
}

export function textBetween(start: string, end: string): string {
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The README has no text between ${start} and ${end}`)
  return readme.slice(from, to)
}

export function readmeBlocks(name: string, language: 'sh' | 'js' | 'python' = 'sh'): string[] {
  return [...readmeSection(name).matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )
}

/** As a reader edits them: with the address of the server and, in the order in which they are asked for, the keys. */
export function filledIn(blocks: readonly string[], url: string, keys: readonly string[]): string[] {
  const left = [...keys]
  return blocks.map((block) =>
    block.replaceAll('http://127.0.0.1:3000', url).replaceAll('tsk_…', () => left.shift() ?? 'tsk_…'),
  )
}
