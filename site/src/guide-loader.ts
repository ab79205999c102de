import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Loader } from 'astro/loaders'
import { rewriteLinks } from './guide-links.ts'
import { REPOSITORY, readGuidePages } from './guide-pages.ts'
import { stripComments, stripTitle } from './markdown-text.ts'

/** Loads the documents of the repository as they are: they have no front matter, and their links are those of files. */
export function guideLoader(): Loader {
  return {
    name: 'guide-loader',
    load: async ({ store, parseData, renderMarkdown, generateDigest, config }) => {
      const pages = readGuidePages()
      store.clear()
      for (const { id, title, description, ...page } of pages) {
        const file = join(REPOSITORY, page.document)
        const body = stripTitle(stripComments(rewriteLinks(page, { pages, form: 'page' })))
        store.set({
          id,
          data: await parseData({ id, data: { title, description }, filePath: file }),
          body,
          filePath: relative(fileURLToPath(config.root), file),
          digest: generateDigest(body),
          rendered: await renderMarkdown(body, { fileURL: pathToFileURL(file) }),
        })
      }
    },
  }
}
