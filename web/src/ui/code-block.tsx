import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  code: string
  /** The accessible name of the copy button, such as "Copy curl command". */
  copyLabel: string
  onCopied?: () => void
}

/** Text for a terminal. Dark in both themes, so that commands are easy to recognize. */
export function CodeBlock({ code, copyLabel, onCopied }: CodeBlockProps) {
  return (
    <div className="flex items-start rounded-card border border-terminal-line bg-terminal text-stone-ink">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto rounded-card px-4 py-3 text-left font-mono text-code"
      >
        <code>{code}</code>
      </pre>
      {/* Next to the code: above it, it would hide the end of a line. */}
      <div className="shrink-0 scheme-dark pt-2 pr-2">
        <CopyButton text={code} label={copyLabel} {...(onCopied ? { onCopied } : {})} />
      </div>
    </div>
  )
}
