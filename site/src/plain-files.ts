import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'
import { REPOSITORY, readGuidePages } from './guide-pages.ts'
import { llmsFullText, llmsText } from './llms-text.ts'
import { markdownOf } from './markdown-page.ts'

/** Adds what is no page to the built site: the Markdown of each page, the files for language models, the images. */
export function plainFiles(): AstroIntegration {
  return {
    name: 'plain-files',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const folder = fileURLToPath(dir)
        const pages = readGuidePages()
        for (const page of pages) writeFileSync(join(folder, `${page.id}.md`), markdownOf(page, pages))
        writeFileSync(join(folder, 'llms.txt'), llmsText(pages))
        writeFileSync(join(folder, 'llms-full.txt'), llmsFullText(pages))
        cpSync(join(REPOSITORY, 'web/public/favicon.svg'), join(folder, 'favicon.svg'))
        // Not processed: the documents link to the files, too.
        cpSync(join(REPOSITORY, 'docs/screenshots'), join(folder, 'screenshots'), { recursive: true })
      },
    },
  }
}
