import { type ApiRequests, createApiRequests } from './api-requests.ts'
import { type ClientSettings, readClientSettings, type TouchstoneOptions } from './client-options.ts'
import { createHttpSender } from './http-sender.ts'
import { PromptFolder } from './prompts/prompt-folder.ts'
import { AnnotationResource } from './resources/annotation-resource.ts'
import { ComparisonResource } from './resources/comparison-resource.ts'
import { ComponentResource } from './resources/component-resource.ts'
import { DatasetResource } from './resources/dataset-resource.ts'
import { EvaluationResource } from './resources/evaluation-resource.ts'
import { ExperimentResource } from './resources/experiment-resource.ts'
import { PromptResource } from './resources/prompt-resource.ts'
import { RunResource } from './resources/run-resource.ts'
import { TraceResource } from './resources/trace-resource.ts'
import { TrialResource } from './resources/trial-resource.ts'

/**
 * A client of one server with one API key. It can be shared by all parts of a program. No property has the key: neither printing the
 * client nor its errors show it.
 */
export class Touchstone implements ApiRequests {
  readonly baseUrl: string
  readonly request: ApiRequests['request']
  readonly list: ApiRequests['list']
  readonly events: ApiRequests['events']
  readonly components: ComponentResource
  readonly datasets: DatasetResource
  readonly runs: RunResource
  readonly traces: TraceResource
  readonly annotations: AnnotationResource
  readonly evaluations: EvaluationResource
  readonly comparisons: ComparisonResource
  readonly prompts: PromptResource
  readonly trials: TrialResource
  readonly experiments: ExperimentResource

  constructor(options: TouchstoneOptions = {}) {
    const settings = readClientSettings(options, globalThis.process?.env ?? {})
    const sender = createHttpSender(settings)
    settingsOfClients.set(this, settings)
    const requests = createApiRequests(sender)
    this.baseUrl = sender.baseUrl
    this.request = requests.request
    this.list = requests.list
    this.events = requests.events
    this.components = new ComponentResource(requests)
    this.datasets = new DatasetResource(requests)
    this.runs = new RunResource(requests)
    this.traces = new TraceResource(requests)
    this.annotations = new AnnotationResource(requests)
    this.evaluations = new EvaluationResource(requests)
    this.comparisons = new ComparisonResource(requests)
    this.trials = new TrialResource(requests, this.components)
    this.experiments = new ExperimentResource(requests)
    const { promptFolder: folder, baseUrl, apiKey } = settings
    this.prompts = new PromptResource(sender, this.components, {
      folder: folder === undefined ? undefined : new PromptFolder({ folder, baseUrl, apiKey }),
    })
  }
}

/** Not a property of the client, because the settings have the key. */
const settingsOfClients = new WeakMap<Touchstone, ClientSettings>()

/** For other parts of this package, which send traces with the same key. */
export function settingsOf(client: Touchstone): ClientSettings {
  const settings = settingsOfClients.get(client)
  if (!settings) throw new TypeError('client must be a Touchstone of this package.')
  return settings
}
