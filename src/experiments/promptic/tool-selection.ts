/** Experiments on which tool a model calls: created with their tools and cases. */
import { type Static, Type } from 'typebox'
import { badRequest, conflict } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import { addCases } from '../../datasets/cases/change-case.ts'
import { ITEMS_PER_REQUEST_MAX } from '../../datasets/items/item-schemas.ts'
import { isNoTool } from '../../evaluators/json/tool-selection.ts'
import type { Context } from '../../http/route.ts'
import { closed, Id, NAME_LENGTH_MAX, NullableText, ofTypes, orNull } from '../../http/schemas.ts'
import { dbWithin } from '../../storage/db.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { describeNewExperiment } from './change-described.ts'
import { addEvaluators } from './change-evaluators.ts'
import { findAnyModel, findProviderOfModel } from './find-provider.ts'
import { startOf } from './settings.ts'

const TOOLS_MAX = 128
const ToolName = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' })

export const ToolSelectionBody = closed({
  aiComponentId: Id,
  tools: Type.Array(
    closed(
      {
        name: ToolName,
        description: Type.String({ maxLength: 20_000 }),
        inputSchema: Type.Optional(ofTypes(['object', 'null'])),
      },
      { title: 'ToolOfSelection' },
    ),
    { minItems: 1, maxItems: TOOLS_MAX },
  ),
  testCases: Type.Array(
    closed({ query: Type.String(), expectedTool: Type.String({ maxLength: 200 }) }, { title: 'ToolTestCase' }),
    { minItems: 1, maxItems: ITEMS_PER_REQUEST_MAX, description: 'Without a tool: "" or "none".' },
  ),
  toolSource: Type.Optional(Type.Enum(['manual', 'mcp'], { type: 'string' })),
  optimizeSystemPrompt: Type.Optional(Type.Boolean()),
  targetModel: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })),
  systemPrompt: Type.Optional(orNull(Type.String({ maxLength: 200_000 }))),
  epochs: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  trainSplitRatio: Type.Optional(Type.Number({ minimum: 0.5, maximum: 0.9 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  description: Type.Optional(NullableText),
})

export async function createToolSelection(
  { db, ...context }: Context,
  by: Principal,
  body: Static<typeof ToolSelectionBody>,
): Promise<ExperimentRow> {
  const { epochs, trainSplitRatio, tools, testCases } = body
  rejectUnknownTools(tools, testCases)
  const systemPrompt = body.systemPrompt || null
  return db.transaction(async (tx) => {
    const inside = { db: dbWithin(tx), ...context }
    const model = await chooseModel(inside, by, body.targetModel)
    const experiment = await describeNewExperiment(inside, by, {
      componentId: body.aiComponentId,
      name: body.name ?? null,
      settings: {
        description: body.description ?? null,
        ...model,
        taskType: 'toolSelection',
        optimizer: 'prompticV2',
        ...startOf(systemPrompt ?? undefined, { taskType: 'toolSelection', inputVariables: null }),
        hyperparameters: {
          ...(epochs !== undefined && { epochs }),
          ...(trainSplitRatio !== undefined && { trainSplitRatio }),
        },
        schema: null,
        inputVariables: null,
        toolSelection: {
          tools: tools.map(({ name, description, inputSchema = null }) => ({ name, description, inputSchema })),
          toolSource: body.toolSource ?? 'manual',
          systemPrompt,
          optimizeSystemPrompt: body.optimizeSystemPrompt ?? false,
        },
      },
    })
    const { workspaceId, userId } = by
    const { componentId, datasetId, id: experimentId } = experiment
    const cases = testCases.map(({ query, expectedTool }) => ({
      inputPayload: { input: query },
      expectedPayload: expectedTool.trim(),
    }))
    await addCases(inside, { workspaceId, componentId, datasetId, userId }, cases)
    const given = [{ name: 'Tool selection', type: 'toolSelection' as const }]
    await addEvaluators(inside, by, { experimentId, given })
    return experiment
  })
}

function rejectUnknownTools(tools: readonly { name: string }[], cases: readonly { expectedTool: string }[]): void {
  const names = tools.map(({ name }) => name.toLowerCase())
  const doubled = names.find((name, place) => names.indexOf(name) !== place)
  if (doubled !== undefined) throw badRequest(`The field tools has two tools named ${doubled}`)
  const reserved = tools.find(({ name }) => isNoTool(name))
  if (reserved)
    throw badRequest(
      `The field tools has a tool named ${reserved.name}, which stands for no tool in test cases; rename it`,
    )
  const place = cases.findIndex(({ expectedTool }) => {
    const name = expectedTool.trim()
    return !isNoTool(name) && !names.includes(name.toLowerCase())
  })
  if (place >= 0)
    throw badRequest(
      `The field testCases[${place}].expectedTool is none of the tools; use one of their names, or "none"`,
    )
}

async function chooseModel({ db }: Pick<Context, 'db'>, { workspaceId }: Principal, targetModel: string | undefined) {
  if (targetModel !== undefined) {
    const provider = await findProviderOfModel(db.read, workspaceId, targetModel)
    return { targetModel, provider: provider ?? 'openai' }
  }
  const any = await findAnyModel(db.read, workspaceId)
  if (any) return any
  throw conflict(
    'No connection lists a model; send targetModel, or add a connection under Settings, Models (/connections)',
  )
}
