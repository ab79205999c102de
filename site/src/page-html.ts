/** A page of the guide as HTML, with the lists of pages and of its sections. */
import { createElement as h, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { markdownAddress, pageAddress } from './guide-links.ts'
import { BASE, type GuidePage } from './guide-pages.ts'
import { groupPages, labelOf } from './guide-sidebar.ts'
import { pageContent } from './page-content.ts'
import type { Section } from './page-sections.ts'

/** The addresses of the style sheet and the script, which have the hash of their content in their names. */
export type SiteAssets = { style: string; script: string }

type PageParts = { pages: readonly GuidePage[]; assets: SiteAssets; text: string; sections: readonly Section[] }

export function pageHtml(page: GuidePage, { pages, assets, text, sections }: PageParts): string {
  const address = markdownAddress(page.id)
  const head = h(
    'div',
    { className: 'page-head' },
    h('h1', { id: '_top' }, page.title),
    h(
      'div',
      { className: 'page-actions', 'data-address': address },
      h('button', { type: 'button' }, 'Copy as Markdown'),
      h('a', { href: address }, 'Open as Markdown'),
      h('span', { role: 'status' }),
    ),
  )
  const content = [head, h('div', { className: 'content' }, pageContent(text)), pager(page, pages)]
  return layout({
    title: page.id === 'index' ? 'Touchstone guide' : `${page.title} | Touchstone guide`,
    description: page.description,
    pages,
    assets,
    current: page,
    content,
    aside: sectionList(sections),
  })
}

/** For addresses that are no page. */
export function missingPageHtml(pages: readonly GuidePage[], assets: SiteAssets): string {
  const content = [
    h('h1', { id: '_top' }, 'There is no such page'),
    h('p', null, 'Search for it, or choose a page from the list. ', h('a', { href: `${BASE}/` }, 'Overview')),
  ]
  return layout({ title: 'Not found | Touchstone guide', description: '', pages, assets, content })
}

type Layout = {
  title: string
  description: string
  pages: readonly GuidePage[]
  assets: SiteAssets
  current?: GuidePage
  content: ReactNode[]
  aside?: ReactNode
}

function layout({ title, description, pages, assets, current, content, aside }: Layout): string {
  const html = h(
    'html',
    { lang: 'en' },
    h(
      'head',
      null,
      h('meta', { charSet: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('meta', { name: 'description', content: description }),
      h('title', null, title),
      h('link', { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }),
      h('link', { rel: 'stylesheet', href: assets.style }),
      // The one of the interface, before the first paint: both share the chosen theme.
      h('script', { src: '/theme.js' }),
      h('script', { type: 'module', src: assets.script }),
    ),
    h(
      'body',
      null,
      h('a', { className: 'skip', href: '#_top' }, 'Skip to content'),
      header(),
      pageList(pages, current),
      h('main', null, ...content),
      aside,
      searchDialog(),
    ),
  )
  return `<!doctype html>${renderToStaticMarkup(html)}\n`
}

function header(): ReactNode {
  const stone = h(
    'svg',
    { viewBox: '0 0 32 32', 'aria-hidden': true },
    h('path', { className: 'stone', d: 'M9 3.5h13.5L28.5 10v12.5L23 28.5H9.5L3.5 23V9.5z' }),
    h('path', { className: 'streak', d: 'M8.5 21.5 23 9' }),
  )
  const option = (value: string, label: string) => h('option', { value }, label)
  return h(
    'header',
    { className: 'site-header' },
    h('button', { type: 'button', className: 'pages-button', popoverTarget: 'pages' }, 'Pages'),
    h(
      'a',
      { href: `${BASE}/`, className: 'site-title' },
      stone,
      h('span', { className: 'site-name', translate: 'no' }, 'Touchstone'),
      h('span', { className: 'site-part' }, 'Guide'),
    ),
    h('button', { type: 'button', id: 'open-search', 'aria-keyshortcuts': '/ Control+K' }, 'Search'),
    h('a', { className: 'header-link', href: '/docs' }, 'API reference'),
    h('a', { className: 'header-link', href: '/' }, 'Open Touchstone'),
    h(
      'select',
      { id: 'theme', 'aria-label': 'Theme' },
      option('system', 'System'),
      option('light', 'Light'),
      option('dark', 'Dark'),
    ),
  )
}

/** A popover on narrow screens only: the style sheet shows it on wide ones. */
function pageList(pages: readonly GuidePage[], current: GuidePage | undefined): ReactNode {
  const groups = groupPages(pages).map(({ label, pages: own }) =>
    h(
      'section',
      { key: label },
      h('h2', null, label),
      h(
        'ul',
        null,
        own.map((page) =>
          h(
            'li',
            { key: page.id },
            h(
              'a',
              { href: pageAddress(page.id), 'aria-current': page.id === current?.id ? 'page' : undefined },
              labelOf(page),
            ),
          ),
        ),
      ),
    ),
  )
  return h('nav', { id: 'pages', className: 'pages', popover: 'auto', 'aria-label': 'Pages' }, groups)
}

function sectionList(sections: readonly Section[]): ReactNode {
  const listed = sections.filter(({ level }) => level === 2 || level === 3)
  if (listed.length < 2) return null
  return h(
    'nav',
    { className: 'sections', 'aria-label': 'On this page' },
    h('h2', null, 'On this page'),
    h(
      'ul',
      null,
      listed.map(({ anchor, heading, level }) =>
        h('li', { key: anchor, className: level === 3 ? 'inner' : undefined }, h('a', { href: `#${anchor}` }, heading)),
      ),
    ),
  )
}

/** The pages before and after this one, in the order of the list. */
function pager(page: GuidePage, pages: readonly GuidePage[]): ReactNode {
  const all = groupPages(pages).flatMap(({ pages: own }) => own)
  const index = all.findIndex(({ id }) => id === page.id)
  const link = (to: GuidePage | undefined, rel: 'prev' | 'next', label: string) =>
    to && h('a', { key: rel, rel, href: pageAddress(to.id) }, h('small', null, label), labelOf(to))
  return h('nav', { className: 'pager', 'aria-label': 'Previous and next page' }, [
    link(all[index - 1], 'prev', 'Previous'),
    link(all[index + 1], 'next', 'Next'),
  ])
}

function searchDialog(): ReactNode {
  return h(
    'dialog',
    { id: 'search', 'aria-label': 'Search the guide', 'data-index': `${BASE}/search.json` },
    h('input', { type: 'text', 'aria-label': 'Search', placeholder: 'Search the guide', autoComplete: 'off' }),
    h('p', { role: 'status' }),
    h('ul', { className: 'found' }),
  )
}
