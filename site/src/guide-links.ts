/** Turns links between files of the repository into links between pages of the guide. */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { BASE, type GuidePage, REPOSITORY } from './guide-pages.ts'
import { changeProse } from './markdown-text.ts'

type LinkOptions = {
  /** The pages that links can lead to. */
  pages: readonly Pick<GuidePage, 'id' | 'document'>[]
  /** Whether links lead to pages or to their Markdown. */
  form: 'page' | 'markdown'
  root?: string
}

const SCREENSHOTS = 'docs/screenshots/'

/**
 * Links to documents that are no pages, such as source code, become text with the path: an installation does not know
 * where its repository is published. A link to a file that does not exist is an error.
 */
export function rewriteLinks(
  page: Pick<GuidePage, 'document' | 'text'>,
  { pages, form, root = REPOSITORY }: LinkOptions,
): string {
  const pathOf = (target: string) => posix.join(posix.dirname(page.document), decodeURI(target))

  const addressOf = (target: string): string | undefined => {
    const [file = '', anchor] = target.split('#')
    if (isExternal(target) || file === '') return target
    const path = pathOf(file)
    if (!existsSync(join(root, path))) throw new Error(`${page.document} links to ${target}: no such file`)
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (path.startsWith(SCREENSHOTS)) return `${BASE}/screenshots/${path.slice(SCREENSHOTS.length)}`
    const linked = pages.find(({ document }) => document === path)
    return linked && (form === 'page' ? pageAddress(linked.id) : markdownAddress(linked.id)) + suffix
  }

  return changeProse(page.text, (prose) =>
    prose
      .replace(/\[([^[\]]+)\]\(([^)\s]+)\)/g, (link, label: string, target: string) =>
        addressOf(target) === undefined ? `${label} (\`${pathOf(target.split('#')[0] ?? '')}\`)` : link,
      )
      .replace(/\]\(([^)\s]+)\)/g, (link, target: string) => {
        if (isRewritten(target)) return link
        const address = addressOf(target)
        if (address === undefined) throw new Error(`${page.document} links to ${target}, which is no page of the guide`)
        return `](${address})`
      }),
  )
}

export function pageAddress(id: string): string {
  return id === 'index' ? `${BASE}/` : `${BASE}/${id}/`
}

export function markdownAddress(id: string): string {
  return `${BASE}/${id}.md`
}

/** Also for absolute paths, which check-docs rejects in documents: they are addresses of this server. */
function isExternal(target: string): boolean {
  return /^([a-z][a-z0-9+.-]*:|\/)/i.test(target)
}

function isRewritten(target: string): boolean {
  return target.startsWith(`${BASE}/`)
}
