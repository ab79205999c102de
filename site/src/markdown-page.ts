import { rewriteLinks } from './guide-links.ts'
import type { GuidePage } from './guide-pages.ts'
import { stripComments } from './markdown-text.ts'

/** The Markdown of a page for readers without a browser: links lead to the Markdown of other pages. */
export function markdownOf(page: GuidePage, pages: readonly GuidePage[]): string {
  return stripComments(rewriteLinks(page, { pages, form: 'markdown' }))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .concat('\n')
}
