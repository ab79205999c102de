import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SearchedSection } from './find-sections.ts'
import { pageAddress } from './guide-links.ts'
import { BASE, REPOSITORY, readGuidePages } from './guide-pages.ts'
import { labelOf } from './guide-sidebar.ts'
import { llmsFullText, llmsText } from './llms-text.ts'
import { markdownOf } from './markdown-page.ts'
import { pageText } from './page-content.ts'
import { missingPageHtml, pageHtml, type SiteAssets } from './page-html.ts'
import { pageSections } from './page-sections.ts'

/** Writes the pages, their Markdown, the files for language models and the index of the search. */
export function writeSite(folder: string, assets: SiteAssets): void {
  const pages = readGuidePages()
  const index: SearchedSection[] = []
  for (const page of pages) {
    const text = pageText(page, pages)
    const sections = pageSections(page.title, text)
    const address = pageAddress(page.id)
    const own = join(folder, address.slice(BASE.length))
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'index.html'), pageHtml(page, { pages, assets, text, sections }))
    writeFileSync(join(folder, `${page.id}.md`), markdownOf(page, pages))
    for (const { anchor, heading, text } of sections)
      index.push({ address: anchor === '' ? address : `${address}#${anchor}`, page: labelOf(page), heading, text })
  }
  writeFileSync(join(folder, 'search.json'), JSON.stringify(index))
  writeFileSync(join(folder, '404.html'), missingPageHtml(pages, assets))
  cpSync(join(REPOSITORY, 'docs/screenshots'), join(folder, 'screenshots'), { recursive: true })
  writeFileSync(join(folder, 'llms.txt'), llmsText(pages))
  // Written last: the time of this file is the time of the build.
  writeFileSync(join(folder, 'llms-full.txt'), llmsFullText(pages))
}
