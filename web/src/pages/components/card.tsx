import { type ReactNode, useId } from 'react'

interface CardProps {
  title: string
  /** At the right end of the line of the title. */
  action?: ReactNode
  children: ReactNode
}

export function Card({ title, action, children }: CardProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 id={titleId} className="text-body font-semibold">
          {title}
        </h2>
        {action && <div className="-my-1 shrink-0">{action}</div>}
      </div>
      {children}
    </section>
  )
}

interface QuestionCardProps {
  question: string
  answer: string
  footer?: ReactNode
  /** In a row of two cards, the third one is as wide as both. */
  width?: 'whole row'
  children?: ReactNode
}

/** A question with its answer in words, and the numbers behind it. */
export function QuestionCard({ question, answer, footer, width, children }: QuestionCardProps) {
  const titleId = useId()
  return (
    <section
      aria-labelledby={titleId}
      className={`@container flex min-w-0 flex-col rounded-card border border-line bg-surface p-5 shadow-lift ${width ? 'md:max-rail:col-span-2' : ''}`}
    >
      <h2 id={titleId} className="mb-3">
        <span className="block text-data font-medium text-soft">{question}</span>
        <span className="block font-display text-section font-semibold text-balance break-words">{answer}</span>
      </h2>
      <div className="grow">{children}</div>
      {footer && <div className="mt-4 text-meta text-soft text-pretty">{footer}</div>}
    </section>
  )
}
