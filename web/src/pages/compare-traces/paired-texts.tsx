import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DiffText } from '../../ui/diff-text/diff-text.tsx'
import { countOf } from '../../ui/format-number.ts'
import { TextBlock } from '../trace/text-block.tsx'
import { type BothSides, SideMark, sideBorders, sides } from './sides.tsx'

/** So many characters of a text are compared at first: marks in more of them make the page slow. */
const SHOWN_MAX = 20_000

interface PairedTextsProps {
  /** "Answer". */
  title: string
  level: 2 | 4
  texts: BothSides<string | null>
  /** Instead of a text that is missing. */
  missing?: string
}

/** Two texts next to each other with the words that differ; one that both have is shown once. */
export function PairedTexts({ title, level, texts: { left, right }, missing = 'none' }: PairedTextsProps) {
  const Heading = `h${level}` as const
  const [isWhole, setIsWhole] = useState(false)
  const length = Math.max(left?.length ?? 0, right?.length ?? 0)
  const cut = (text: string) => (isWhole || text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`)
  return (
    <section>
      <Heading className="mb-2 flex flex-wrap items-baseline gap-x-2 text-data font-semibold">
        {title}
        {left === right && (
          <span className="font-normal text-soft">{left === null ? 'none in both' : 'same in both'}</span>
        )}
      </Heading>
      {left === right ? (
        left !== null && <TextBlock text={left} look="rendered" />
      ) : left && right ? (
        <DiffText
          baseline={cut(left)}
          candidate={cut(right)}
          baselineTitle={<SideMark side="left" />}
          candidateTitle={<SideMark side="right" />}
        />
      ) : (
        <div className="@container">
          <div className="grid gap-x-6 gap-y-4 @xl:grid-cols-2">
            {sides.map((side) => {
              const text = side === 'left' ? left : right
              return (
                <div key={side} className="min-w-0">
                  <div className={`mb-3 border-b-2 pb-2 text-data font-medium ${sideBorders[side]}`}>
                    <SideMark side={side} />
                  </div>
                  {text ? <TextBlock text={text} look="rendered" /> : <p className="text-faint italic">{missing}</p>}
                </div>
              )
            })}
          </div>
        </div>
      )}
      {left !== right && left && right && length > SHOWN_MAX && (
        <Button look="quiet" size="small" className="mt-2" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Compare the beginnings' : `Compare all ${countOf(length, 'character')}`}
        </Button>
      )}
    </section>
  )
}
