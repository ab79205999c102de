import type { Tool } from './tool.ts'
import { annotateTrace, listAnnotations } from './tools/annotation-tools.ts'
import { compareRuns, listWorstCases } from './tools/comparison-tools.ts'
import { listComponents, listRuns } from './tools/component-tools.ts'
import { createDatasetFromTraces, getDatasetItems, listDatasets } from './tools/dataset-tools.ts'
import { getEvaluation, listEvaluators, startEvaluation } from './tools/evaluation-tools.ts'
import { getExperiment, startExperiment } from './tools/experiment-tools.ts'
import { getPrompt, listPrompts } from './tools/prompt-tools.ts'
import { explainQueryLanguage } from './tools/query-language-tool.ts'
import { savePromptVersion } from './tools/save-prompt-tool.ts'
import { getTrace, searchTraces } from './tools/trace-tools.ts'
import { getTrial, startTrial } from './tools/trial-tools.ts'

/** In the order in which clients show them. */
export const TOOLS: readonly Tool[] = [
  compareRuns,
  listWorstCases,
  searchTraces,
  getTrace,
  listComponents,
  listDatasets,
  getDatasetItems,
  createDatasetFromTraces,
  listRuns,
  listAnnotations,
  annotateTrace,
  listEvaluators,
  startEvaluation,
  getEvaluation,
  startTrial,
  getTrial,
  startExperiment,
  getExperiment,
  listPrompts,
  getPrompt,
  savePromptVersion,
  explainQueryLanguage,
]
