/** How the documents of the repository become pages; test/e2e/guide.test.ts checks the built ones. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSections, snippetOf } from '../../site/src/find-sections.ts'
import { rewriteLinks } from '../../site/src/guide-links.ts'
import { readGuidePages } from '../../site/src/guide-pages.ts'
import { groupPages } from '../../site/src/guide-sidebar.ts'
import { highlightCode } from '../../site/src/highlight-code.ts'
import { llmsFullText, llmsText } from '../../site/src/llms-text.ts'
import { markdownOf } from '../../site/src/markdown-page.ts'
import { pageSections } from '../../site/src/page-sections.ts'
import { guideState } from '../../tools/guide-state.ts'

const ROOT = join(import.meta.dirname, '../..')
const pages = readGuidePages()
const anyPage = (id: string) => ({ id, document: `docs/guide/${id}.md`, title: id, description: '', text: `# ${id}\n` })

describe('the sidebar', () => {
  it('has every document of docs/guide once', () => {
    const listed = groupPages(pages).flatMap((group) => group.pages.map(({ document }) => document))
    expect(listed.toSorted()).toEqual(pages.map(({ document }) => document).sort())
    expect(listed).toEqual(expect.arrayContaining(globSync('docs/guide/*.md', { cwd: ROOT })))
  })

  it('groups guides for users of other tools by themselves', () => {
    const [start] = groupPages([...pages, anyPage('coming-from-elsewhere')])
    expect(start?.pages.map(({ id }) => id)).toContain('coming-from-elsewhere')
  })

  it('rejects a page without a group, and names the file to change', () => {
    expect(() => groupPages([...pages, anyPage('lost')])).toThrow(
      'in no group of the sidebar: docs/guide/lost.md; add the page to GROUPS in site/src/guide-sidebar.ts',
    )
  })
})

describe('links of a document', () => {
  const rewritten = (text: string, form: 'page' | 'markdown' = 'page') =>
    rewriteLinks({ document: 'docs/guide/traces.md', text }, { pages, form })

  it.each([
    ['[a](evaluations.md#results)', '[a](/guide/evaluations/#results)', '[a](/guide/evaluations.md#results)'],
    ['[`a`](../security.md)', '[`a`](/guide/security/)', '[`a`](/guide/security.md)'],
    ['[a](../../README.md#test)', '[a](/guide/#test)', '[a](/guide/index.md#test)'],
    ['[two\nlines](cli.md)', '[two\nlines](/guide/cli/)', '[two\nlines](/guide/cli.md)'],
    ['![a](../screenshots/trace.png)', '![a](/guide/screenshots/trace.png)', '![a](/guide/screenshots/trace.png)'],
    [
      '[![a](../screenshots/trace.png)](../screenshots/trace.png)',
      '[![a](/guide/screenshots/trace.png)](/guide/screenshots/trace.png)',
      '[![a](/guide/screenshots/trace.png)](/guide/screenshots/trace.png)',
    ],
  ])('lead to the page, or to its Markdown: %s', (text, page, markdown) => {
    expect(rewritten(text)).toBe(page)
    expect(rewritten(text, 'markdown')).toBe(markdown)
  })

  it('to files that are no pages become text with the path', () => {
    expect(rewritten('([why](../decisions/0005-store-json-as-text.md))')).toBe(
      '(why (`docs/decisions/0005-store-json-as-text.md`))',
    )
  })

  it.each(['[a](#results)', '[a](https://example.com/x.md)', '`[a](cli.md)`', '```sh\n[a](cli.md)\n```'])(
    'stay as they are within the page, to other hosts and in code: %s',
    (text) => expect(rewritten(text)).toBe(text),
  )

  it('that lead nowhere fail the build', () => {
    expect(() => rewritten('[a](no-such-page.md)')).toThrow('docs/guide/traces.md links to no-such-page.md')
  })
})

describe('the Markdown of a page', () => {
  it('has the title, the code and no marks of tests', () => {
    const [start] = pages.filter(({ id }) => id === 'index')
    if (!start) throw new Error('there is no start page')
    const markdown = markdownOf(start, pages)
    expect(markdown).toMatch(/^# Touchstone\n/)
    expect(markdown).toContain('npm ci && npm start')
    expect(markdown).not.toContain('<!--')
  })

  it('is linked by llms.txt and contained in llms-full.txt, for every page', () => {
    const [list, all] = [llmsText(pages), llmsFullText(pages)]
    for (const page of pages) {
      expect(list).toContain(`](/guide/${page.id}.md)`)
      expect(all).toContain(markdownOf(page, pages))
    }
  })

  it('has a description that is a sentence', () => {
    expect(pages.filter(({ description }) => !/^.{10,}[.!?]$/.test(description))).toEqual([])
  })
})

describe('the sections of a page', () => {
  it('have the text without the marks of Markdown, and code as it is', () => {
    const text = 'See [one](cli.md) and `two`.\n\n## A & `B`\n\n| a | b |\n|---|---|\n\n```sh\n# no | heading\n```\n'
    expect(pageSections('Title', text)).toEqual([
      { level: 1, heading: 'Title', anchor: '', text: 'See one and two .' },
      { level: 2, heading: 'A & B', anchor: 'a--b', text: 'a b # no | heading' },
    ])
  })
})

describe('the search', () => {
  const section = (heading: string, text = '') => ({ address: `/guide/#${heading}`, page: 'Traces', heading, text })
  const sections = [section('Other', 'a budget of costs'), section('Costs', 'of a trace'), section('Costs and budget')]
  const found = (query: string) => findSections(sections, query).map(({ heading }) => heading)

  it('finds the sections that contain every word, headings before texts', () => {
    expect(found('costs')).toEqual(['Costs', 'Costs and budget', 'Other'])
    expect(found('BUDGET cost')).toEqual(['Costs and budget', 'Other'])
    expect(found('budget nothing')).toEqual([])
    expect(found('  ')).toEqual([])
    expect(found('a (b')).toEqual([])
  })

  it('shows the part of a long text with the match, which is marked', () => {
    const parts = snippetOf(`${'word '.repeat(60)}Needle${' word'.repeat(60)}`, 'needle')
    expect(parts.filter(({ isMatch }) => isMatch)).toEqual([{ text: 'Needle', isMatch: true }])
    expect(parts.map(({ text }) => text).join('').length).toBeLessThan(170)
  })
})

it('code is the same text with colors', () => {
  const code = 'export A="b # c" # why\necho $A'
  const parts = highlightCode(code, 'sh')
  expect(parts.map(({ text }) => text).join('')).toBe(code)
  expect(parts.filter(({ kind }) => kind)).toEqual([
    { text: 'export', kind: 'word' },
    { text: '"b # c"', kind: 'string' },
    { text: '# why', kind: 'comment' },
  ])
})

it('the interface links only to pages that exist', () => {
  const sources = globSync('web/src/**/*.tsx', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const linked = sources.flatMap((source) => [...source.matchAll(/\.guide\('([^']+)'\)/g)].map(([, id]) => id))
  expect(linked.length).toBeGreaterThan(1)
  expect(pages.map(({ id }) => id)).toEqual(expect.arrayContaining(linked))
})

it('a build is outdated once a document is changed or deleted after it', () => {
  const root = mkdtempSync(join(tmpdir(), 'touchstone-guide-state-'))
  const page = join(root, 'docs/guide/traces.md')
  const built = join(root, 'dist/guide/llms-full.txt')
  const setTime = (file: string, seconds: number) => utimesSync(file, seconds, seconds)
  for (const file of [page, built]) {
    mkdirSync(join(file, '..'), { recursive: true })
    if (file === built) expect(guideState(root)).toBe('missing')
    writeFileSync(file, '')
  }
  setTime(join(root, 'docs/guide'), 100)
  setTime(page, 100)
  setTime(built, 200)
  expect(guideState(root)).toBe('current')
  setTime(page, 300)
  expect(guideState(root)).toBe('outdated')
  setTime(page, 100)
  rmSync(page)
  expect(guideState(root)).toBe('outdated')
  rmSync(root, { recursive: true })
})
