import { ArrowRight } from 'lucide-react'

interface QuestionAndAnswerProps {
  question: string
  answer: string
  /** Makes the question a button, for cards: rows of a table handle keys and clicks themselves. */
  onOpen?: (() => void) | undefined
}

/** What was asked, and below it what was answered, in a row of a list. */
export function QuestionAndAnswer({ question, answer, onOpen }: QuestionAndAnswerProps) {
  return (
    <span className="flex min-w-0 flex-col leading-4.5">
      {onOpen ? (
        <button type="button" onClick={onOpen} className="min-h-11 text-left font-medium">
          <bdi className="line-clamp-2">{question}</bdi>
        </button>
      ) : (
        <bdi className="truncate font-medium">{question}</bdi>
      )}
      <AnswerLine text={answer} />
    </span>
  )
}

export function AnswerLine({ text }: { text: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-soft">
      <ArrowRight aria-hidden className="size-3 shrink-0 text-gold-ink" />
      <bdi className="truncate">{text}</bdi>
    </span>
  )
}
