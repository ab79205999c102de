import { Link } from '@tanstack/react-router'
import { Braces, Database, Diff, Shuffle } from 'lucide-react'
import type { DatasetSummary } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TrendSelect } from '../trends/trend-select.tsx'
import {
  type ItemPick,
  itemPicks,
  type PlaygroundSearch,
  type ToolAnswers,
  toolAnswerKinds,
} from './playground-search.ts'

interface PlaygroundBarProps {
  component: ComponentKey
  search: PlaygroundSearch
  datasets: readonly DatasetSummary[]
  dataset: DatasetSummary | undefined
  /** How many items are shown, and of how many. */
  count: number
  total: number
  isPending: boolean
  /** Undefined if no column has tools. */
  toolAnswers: ToolAnswers | undefined
  whyNotDiff: string | undefined
  onChange: (changes: Partial<PlaygroundSearch>) => void
}

/** Where the rows come from, how tools are answered, and what is marked. */
export function PlaygroundBar(props: PlaygroundBarProps) {
  const { component, search, datasets, dataset, count, total, isPending, toolAnswers, whyNotDiff, onChange } = props
  const { seed = 1 } = search
  const pick = search.item === undefined ? (search.pick ?? 'seed') : undefined
  const isItems = search.rows === 'items'
  const tools = isItems ? toolAnswerKinds : toolAnswerKinds.filter((kind) => kind !== 'recorded')
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-2.5 gap-y-2 max-sm:[&>*]:max-w-full">
      <Segmented
        label="Rows"
        value={isItems ? 'items' : 'variables'}
        options={[
          { value: 'variables', label: <BarLabel icon={Braces} text="Variables" /> },
          { value: 'items', label: <BarLabel icon={Database} text="Dataset items" /> },
        ]}
        onChange={(rows) => onChange({ rows: rows === 'items' ? 'items' : undefined })}
      />
      {isItems && dataset && (
        <>
          <TrendSelect
            label="Dataset"
            value={dataset.id}
            options={datasets.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => onChange({ dataset: id, item: undefined })}
          />
          <TrendSelect
            label="Which items"
            value={pick ?? ONE_ITEM}
            options={[
              ...(pick === undefined ? [{ value: ONE_ITEM, label: 'One item' }] : []),
              ...itemPicks.map((value) => ({
                value,
                label:
                  value === pick
                    ? `${formatCount(count)} of ${formatCount(total)}: ${pickWords[value]}`
                    : pickWords[value],
              })),
            ]}
            onChange={(value) => onChange({ pick: itemPicks.find((known) => known === value), item: undefined })}
          />
          {pick === 'seed' && (
            <Button
              size="small"
              look="quiet"
              tip={`Seed ${seed}: the same seed chooses the same items`}
              onClick={() => onChange({ seed: seed + 1 })}
            >
              <Shuffle aria-hidden className="size-3.5" />
              Other items
            </Button>
          )}
        </>
      )}
      {toolAnswers !== undefined && (
        <TrendSelect
          label="Answers of tools"
          value={toolAnswers}
          options={tools.map((value) => ({ value, label: toolWords[value] }))}
          onChange={(value) => onChange({ tools: toolAnswerKinds.find((known) => known === value) })}
        />
      )}
      <Button
        size="small"
        look="quiet"
        className="sm:ml-auto"
        aria-pressed={search.diff === 'on'}
        disabledReason={whyNotDiff}
        onClick={() => onChange({ diff: search.diff === 'on' ? undefined : 'on' })}
      >
        <Diff aria-hidden className="size-3.5" />
        {search.diff === 'on' ? 'Hide what differs' : 'Show what differs'}
        <ShortcutKeys id="showDifferences" />
      </Button>
      {isItems && !isPending && !dataset && (
        <div className="basis-full">
          <Notice title="No dataset with items">
            Items give the values of a row, and say what is expected.{' '}
            <Link
              to={pagePaths.componentPart(component.applicationId, component.componentId, 'datasets')}
              className="touch-link underline underline-offset-4"
            >
              Add a dataset
            </Link>
            , or type the variables.
          </Notice>
        </div>
      )}
    </div>
  )
}

/** Of a link that names it. */
const ONE_ITEM = 'one'

const pickWords: Record<ItemPick, string> = {
  seed: 'at random',
  first: 'from the first one',
  newest: 'newest first',
  turned: 'worse in the newest run first',
  failing: 'failing in the newest run',
}

const toolWords: Record<ToolAnswers, string> = {
  recorded: 'Recorded tool answers',
  ask: 'Ask me for tool answers',
  none: 'No tool answers',
}

function BarLabel({ icon: Icon, text }: { icon: typeof Diff; text: string }) {
  return (
    <>
      <Icon aria-hidden className="size-3.5" />
      {text}
    </>
  )
}
