import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { authSummary } from './describe-auth.ts'
import { FieldList } from './field-list.tsx'
import { MethodLabel } from './method-label.tsx'
import type { Operation } from './reference.ts'
import { ResponseList } from './response-list.tsx'

interface OperationArticleProps {
  operation: Operation
  /** Fields, responses and command. All of them at once would be fifty thousand elements. */
  areDetailsShown: boolean
}

export function OperationArticle({ operation, areDetailsShown }: OperationArticleProps) {
  const [isOpened, setIsOpened] = useState(false)
  const { anchor, method, path, summary, description, auth, role } = operation
  return (
    <article id={anchor} aria-labelledby={`${anchor}-title`} className="group scroll-mt-20 border-b border-line py-9">
      <h3 id={`${anchor}-title`} className="flex items-center gap-2 text-reading font-semibold">
        {summary || `${method} ${path}`}
        <a
          href={`#${anchor}`}
          aria-label={`Link to ${summary || path}`}
          className="rounded-control px-2 text-data font-normal text-faint opacity-0 touch:-my-3 touch:min-w-11 touch:p-3.5 touch:text-center touch:opacity-100 transition-opacity group-hover:opacity-100 focus-visible:opacity-100"
        >
          {/* Not an icon: it would be three elements for each of two hundred operations. */}#
        </a>
      </h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <MethodLabel method={method} />
        <code className="font-mono text-data break-all">{path}</code>
        <span className="text-meta text-faint">
          {authSummary(auth)}
          {role && ` · role ${role} or above`}
        </span>
      </p>
      {description && <p className="mt-3 max-w-prose whitespace-pre-line text-soft">{description}</p>}
      {areDetailsShown || isOpened ? (
        <div className="mt-5 grid grid-cols-1 gap-6">
          <FieldList title="Parameters" fields={operation.parameters} />
          <FieldList title="Body" fields={operation.body} />
          <ResponseList responses={operation.responses} />
          <CodeBlock code={operation.curl} copyLabel="Copy curl command" />
        </div>
      ) : (
        <Button size="small" className="mt-3" onClick={() => setIsOpened(true)}>
          Fields and command
        </Button>
      )}
    </article>
  )
}
