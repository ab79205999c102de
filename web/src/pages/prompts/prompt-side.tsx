import type { PromptKey } from '../../api/prompts-query.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { UseItCard, VariablesCard } from './prompt-facts.tsx'
import type { PromptPageState } from './use-prompt-page.ts'
import { useVersionResults, VersionResults } from './version-results.tsx'

interface PromptSideProps {
  promptKey: PromptKey
  name: string
  state: PromptPageState
}

/** Next to the text: how good its versions were, what code gives it, and how code reads it. All at once, so that no card moves another. */
export function PromptSide({ promptKey, name, state }: PromptSideProps) {
  const { rows, labels, summary, content, isDraft, number, liveNumber, shown, seriesOf } = state
  const production = summary.data?.data[0]
  const gate = labels.data?.data.find((label) => label.name === 'production')?.protection.gate
  const results = useVersionResults(promptKey, gate?.datasetId)
  if (!results.isReady) return <Skeleton rows={9} />
  return (
    <>
      <VersionResults
        prompt={promptKey}
        production={summary.data && { summaries: summary.data, versions: production?.versions ?? [] }}
        results={results}
        shown={isDraft ? undefined : number}
        seriesOf={seriesOf}
      />
      {content ? (
        <VariablesCard
          promptId={promptKey.promptId}
          messages={content.messages}
          live={rows?.find((row) => row.number === liveNumber && row.number !== shown)}
        />
      ) : (
        <Skeleton />
      )}
      <UseItCard name={name} label="production" />
    </>
  )
}
