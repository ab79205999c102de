/** The guide for language models: https://llmstxt.org */
import { markdownAddress } from './guide-links.ts'
import type { GuidePage } from './guide-pages.ts'
import { groupPages, labelOf } from './guide-sidebar.ts'
import { markdownOf } from './markdown-page.ts'

/** A list of all pages, with links to their Markdown. */
export function llmsText(pages: readonly GuidePage[]): string {
  const groups = groupPages(pages).map(({ label, pages: own }) =>
    [`## ${label}`, '', ...own.map(lineOf), ''].join('\n'),
  )
  const [start] = pages.filter(({ id }) => id === 'index')
  return [
    '# Touchstone',
    '',
    `> ${start?.description ?? ''}`,
    '',
    'All pages in one file: [llms-full.txt](/llms-full.txt).',
    '',
    ...groups,
    '## API',
    '',
    '- [OpenAPI description](/api/v1/openapi.json): every route with its parameters, bodies and responses',
    '',
  ].join('\n')
}

/** The Markdown of all pages, in the order of the sidebar. */
export function llmsFullText(pages: readonly GuidePage[]): string {
  return groupPages(pages)
    .flatMap(({ pages: own }) => own)
    .map((page) => `<!-- ${markdownAddress(page.id)} -->\n\n${markdownOf(page, pages)}`)
    .join('\n')
}

function lineOf(page: GuidePage): string {
  return `- [${labelOf(page)}](${markdownAddress(page.id)})${page.description && `: ${page.description}`}`
}
