import { useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type EvaluatorEntry, nameOf } from './evaluation-draft.ts'
import { type EvaluatorCardWords, priceText } from './evaluator-words.ts'

interface EvaluatorCardsProps {
  types: EvaluatorCardWords[]
  chosen: EvaluatorEntry[]
  onToggle: (type: string) => void
}

/** Which evaluators run: those without a model first, because they cost nothing. */
export function EvaluatorCards({ types, chosen, onToggle }: EvaluatorCardsProps) {
  const [showsAll, setShowsAll] = useState(false)
  const isChosen = (type: string) => chosen.some((entry) => entry.type === type)
  const isShown = ({ type, isCommon }: EvaluatorCardWords) => showsAll || isCommon || isChosen(type)
  const hidden = types.filter((type) => !isShown(type)).length
  const groups = [
    { title: 'Without a model', types: types.filter(({ asksModel }) => !asksModel) },
    { title: 'Ask a model', types: types.filter(({ asksModel }) => asksModel) },
  ]
  return (
    <div className="flex flex-col gap-4">
      {groups.map((group) => (
        <fieldset key={group.title}>
          <legend className="mb-2 text-data font-medium text-soft">{group.title}</legend>
          <div className="grid grid-cols-1 gap-2 min-[22rem]:grid-cols-2 lg:grid-cols-3 wide:grid-cols-4">
            {group.types.filter(isShown).map((type) => (
              <Card
                key={type.type}
                type={type}
                instances={chosen.filter((entry) => entry.type === type.type)}
                onToggle={() => onToggle(type.type)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {(hidden > 0 || showsAll) && (
        <span>
          <Button look="quiet" size="small" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show ${hidden} more`}
          </Button>
        </span>
      )}
    </div>
  )
}

interface CardProps {
  type: EvaluatorCardWords
  instances: EvaluatorEntry[]
  onToggle: () => void
}

function Card({ type, instances, onToggle }: CardProps) {
  const id = useId()
  const isOn = instances.length > 0
  const names = instances.map(nameOf).filter((name) => name !== type.type)
  return (
    <label
      htmlFor={id}
      className={classNames(
        'relative flex min-h-[112px] cursor-pointer flex-col gap-0.5 rounded-card border p-3 text-data transition-colors',
        isOn
          ? 'border-ink bg-raised shadow-[inset_0_0_0_0.5px_var(--color-ink)]'
          : 'border-line bg-surface hover:border-edge',
      )}
    >
      <span className="flex items-start justify-between gap-2">
        <span className="font-semibold text-ink">{type.title}</span>
        <Checkbox id={id} state={isOn ? 'on' : 'off'} onChange={onToggle} className="mt-0.5" />
      </span>
      <span className="grow leading-[18px] text-soft">{type.text}</span>
      <span className="mt-1.5 text-meta break-words text-faint">
        {priceText(type)}
        {names.length > 0 && (
          <>
            {' · '}
            <b className="font-semibold text-ink">{names.join(', ')}</b>
          </>
        )}
      </span>
    </label>
  )
}
