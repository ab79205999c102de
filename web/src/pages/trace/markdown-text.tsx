import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

/**
 * Text of a model as Markdown. It may come from an attacker: HTML is not rendered, links show where they lead, and images are not loaded,
 * because their address could carry what the model has read.
 */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className="markdown flex flex-col gap-2.5 break-words">
      <Markdown remarkPlugins={[remarkGfm]} components={components} skipHtml={false}>
        {text}
      </Markdown>
    </div>
  )
}

const components: Components = {
  img: ({ src, alt }) => (
    <span className="rounded bg-sunken px-1.5 py-0.5 text-data text-soft">
      Image {alt ? `“${alt}”` : ''} not loaded: {typeof src === 'string' ? src : ''}
    </span>
  ),
  a: ({ href, children }) => (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-info underline underline-offset-4"
      title={href}
    >
      {children}
      {hostOf(href) && <span className="text-meta text-faint"> ({hostOf(href)})</span>}
    </a>
  ),
  // Titles in a message must not be titles of the page.
  h1: ({ children }) => <p className="font-semibold">{children}</p>,
  h2: ({ children }) => <p className="font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-medium">{children}</p>,
  h5: ({ children }) => <p className="font-medium">{children}</p>,
  h6: ({ children }) => <p className="font-medium">{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children }) => <ol className="list-decimal pl-5">{children}</ol>,
  code: ({ children }) => <code className="rounded bg-sunken px-1 font-mono text-code">{children}</code>,
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
    <pre tabIndex={0} className="overflow-x-auto rounded-control bg-sunken p-3">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-data [&_td]:border [&_td]:border-line [&_td]:px-2 [&_th]:border [&_th]:border-line [&_th]:px-2">
        {children}
      </table>
    </div>
  ),
}

function hostOf(href: string | undefined): string | undefined {
  return href ? URL.parse(href)?.host : undefined
}
