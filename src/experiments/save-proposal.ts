import type { Principal } from '../base/principal.ts'
import { saveVersion } from '../prompts/save-version.ts'
import { prepareContent } from '../prompts/version-content.ts'
import type { CandidateContent } from './iteration-queries.ts'

type Content = Parameters<typeof prepareContent>[0]

type Proposal = {
  componentId: string
  promptId: string
  experimentId: string
  experimentName: string | null
  number: number
  /** The content of the version that the experiment has started from. */
  start: Omit<Content, 'messages'>
  proposed: CandidateContent
}

/** Saves a proposal as a version of the prompt, with everything else as in the start. A version with the same content is found again. */
export function saveProposal(
  context: Parameters<typeof saveVersion>[0],
  by: Principal,
  { componentId, promptId, experimentId, experimentName, number, start, proposed: { messages, tools } }: Proposal,
): Promise<Awaited<ReturnType<typeof saveVersion>>> {
  return saveVersion(context, by, {
    componentId,
    promptId,
    content: prepareContent({ ...start, messages: messages.map(withKnownRole), ...(tools && { tools }) }),
    note: `Proposal ${number} of the experiment ${experimentName ?? experimentId}`,
    labels: [],
    verdicts: [],
    source: { kind: 'experiment', id: experimentId },
  })
}

/** The roles were read from an answer and checked; the type of a request is narrower. */
function withKnownRole(
  message: { role: string; content: string } | { placeholder: string },
): Content['messages'][number] {
  if ('placeholder' in message) return message
  const { role, content } = message
  return { role: role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user', content }
}
