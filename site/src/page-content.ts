/** The Markdown of a page as elements. The parser is the one that shows Markdown in the interface. */
import { createElement as h, isValidElement, type ReactNode } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { rewriteLinks } from './guide-links.ts'
import type { GuidePage } from './guide-pages.ts'
import { headingAnchors } from './heading-anchors.ts'
import { highlightCode } from './highlight-code.ts'
import { stripComments, stripTitle } from './markdown-text.ts'

/** The text below the title. */
export function pageText(page: GuidePage, pages: readonly GuidePage[]): string {
  return stripTitle(stripComments(rewriteLinks(page, { pages, form: 'page' })))
}

export function pageContent(text: string): ReactNode {
  return h(Markdown, { remarkPlugins: [remarkGfm], components: componentsOf(headingAnchors()) }, text)
}

/** New for each page: anchors are counted. */
function componentsOf(anchorOf: (heading: string) => string): Components {
  const heading =
    (tag: 'h2' | 'h3' | 'h4') =>
    ({ children }: { children?: ReactNode }) => {
      const text = textOf(children)
      const anchor = anchorOf(text)
      const link = h('a', { className: 'anchor', href: `#${anchor}`, 'aria-label': `Link to “${text}”` }, '#')
      return h('div', { className: 'heading' }, h(tag, { id: anchor }, children), link)
    }
  return {
    h2: heading('h2'),
    h3: heading('h3'),
    h4: heading('h4'),
    // What can be wider than the page scrolls, and needs a tab stop to do so by keyboard (WCAG 2.1.1).
    pre: ({ children }) => h('pre', { tabIndex: 0 }, children),
    table: ({ children }) => h('div', { className: 'wide', tabIndex: 0 }, h('table', null, children)),
    img: ({ src, alt }) => h('img', { src, alt, loading: 'lazy' }),
    code: ({ className, children }) => {
      const language = /language-(\w+)/.exec(className ?? '')?.[1]
      if (language === undefined) return h('code', null, children)
      const parts = highlightCode(textOf(children), language)
      const spans = parts.map(({ kind, text }, index) =>
        kind ? h('span', { key: index, className: kind }, text) : text,
      )
      return h('code', null, ...spans)
    },
  }
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node)
  if (Array.isArray(node)) return node.map(textOf).join('')
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : ''
}
