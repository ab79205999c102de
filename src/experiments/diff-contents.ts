import { runInSlices } from '../base/event-loop.ts'
import { diffVersions } from '../prompts/diff-versions.ts'
import type { TemplateMessage } from '../prompts/template.ts'
import { findVersion } from '../prompts/version-queries.ts'
import type { Queries } from '../storage/db.ts'
import type { ExperimentPlan } from './experiment-plan.ts'
import type { ExperimentRow } from './experiment-queries.ts'
import type { CandidateContent } from './iteration-queries.ts'
import { changedDescriptions } from './tools/tool-descriptions.ts'

type Tools = Record<string, unknown>[]

/** What a proposal has changed: its messages word by word, and the descriptions of tools. */
export async function diffContents(before: CandidateContent, after: CandidateContent, start: Tools) {
  const { messages, variables, placeholders } = await runInSlices(
    diffVersions(versionOf(before.messages), versionOf(after.messages)),
  )
  const tools = changedDescriptions(before.tools ?? start, after.tools ?? start)
  return { messages, variables, placeholders, tools }
}

function versionOf(messages: TemplateMessage[]) {
  return { messages, provider: null, model: null, parameters: {}, tools: [], responseFormat: null }
}

/** None if the version was deleted. */
export async function startTools(q: Queries, { workspaceId, promptId, plan }: ExperimentRow): Promise<Tools> {
  const { target }: ExperimentPlan = JSON.parse(plan)
  const version = await findVersion(q, { workspaceId, promptId, number: target.version })
  return version?.content.tools ?? []
}
