import { usageSpellings } from '../usage-spellings.ts'
import type { Convention } from './convention.ts'
import { crewAi } from './crewai.ts'
import { genAi } from './gen-ai.ts'
import { genAiOld } from './gen-ai-old.ts'
import { generic } from './generic.ts'
import { googleAdk } from './google-adk.ts'
import { langfuse } from './langfuse.ts'
import { langsmith } from './langsmith.ts'
import { mastra } from './mastra.ts'
import { mlflow } from './mlflow.ts'
import { openInference } from './open-inference.ts'
import { openLlmetry } from './open-llmetry.ts'
import { ownAttributes } from './own-attributes.ts'
import { pydanticAi } from './pydantic-ai.ts'
import { vercelAi } from './vercel-ai.ts'

/** In order of precedence: our own attributes first, then the most specific conventions, guesses last. */
export const CONVENTIONS: readonly Convention[] = [
  ownAttributes,
  langfuse,
  langsmith,
  genAi,
  openInference,
  vercelAi,
  pydanticAi,
  mlflow,
  mastra,
  genAiOld,
  openLlmetry,
  crewAi,
  googleAdk,
  usageSpellings,
  generic,
]
