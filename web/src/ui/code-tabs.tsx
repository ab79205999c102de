import { useId } from 'react'
import { CopyButton } from './copy-button.tsx'
import { panelProps, TabList } from './tab-list.tsx'

interface CodeTab {
  value: string
  title: string
  code: string
}

interface CodeTabsProps {
  /** What the snippets do: "Send a trace". */
  label: string
  tabs: CodeTab[]
  value: string
  onChange: (value: string) => void
  onCopied?: (value: string) => void
}

/** The same command for several tools. Dark in both themes, as `CodeBlock`. */
export function CodeTabs({ label, tabs, value, onChange, onCopied }: CodeTabsProps) {
  const current = tabs.find((tab) => tab.value === value)
  const id = useId()
  return (
    <div className="scheme-dark overflow-clip rounded-card border border-terminal-line bg-terminal text-stone-ink">
      <div className="flex items-center gap-2 border-b border-line pr-2">
        <TabList
          id={id}
          label={label}
          tabs={tabs}
          value={value}
          onChange={onChange}
          className="flex min-w-0 flex-1 overflow-x-auto"
          tabClass="border-b-2 border-transparent px-4 py-2 text-data whitespace-nowrap text-stone-soft hover:text-stone-ink focus-visible:-outline-offset-2 aria-selected:border-gold aria-selected:font-medium aria-selected:text-stone-ink touch:min-h-11"
        />
        {current && (
          <CopyButton
            text={current.code}
            label={`Copy ${current.title} code`}
            {...(onCopied ? { onCopied: () => onCopied(current.value) } : {})}
          />
        )}
      </div>
      {tabs.map((tab) => (
        <div key={tab.value} {...panelProps(id, tab.value, value)}>
          {tab.value === value && (
            // Long lines wrap: what is beyond the edge would not be seen, and a copy has the lines as they are.
            <pre className="px-4 py-3 font-mono text-code whitespace-pre-wrap wrap-anywhere">
              <code>{tab.code}</code>
            </pre>
          )}
        </div>
      ))}
    </div>
  )
}
