"""The resources of the API. Generated from openapi.json by `npm run generate`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class AcceptedTrialRunsItem(TypedDict):
    variant: str
    runId: Id


class AcceptedTrial(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    runs: list[AcceptedTrialRunsItem]
    resumed: bool


class Account(TypedDict):
    userId: Id
    name: str
    email: str


class ActivityUser(TypedDict):
    id: str
    name: str


class Activity(TypedDict):
    kind: Literal["run", "evaluation", "ratings"]
    at: Timestamp
    run: OverviewRun | None
    evaluation: OverviewEvaluation | None
    user: ActivityUser | None
    count: int | None


class Agreement(TypedDict):
    raters: list[Rater]
    categories: list[str]
    items: int
    excluded: int
    pairs: list[RaterPair]
    alpha: Alpha
    disagreements: list[Disagreement]
    disagreementsTotal: int
    judges: list[JudgeAgreement]
    summary: str
    consensus: NotRequired[RatingConsensus | None]


class AllowedTargets(TypedDict):
    targets: list[str]
    mayChange: bool


class AllowedTargetsBody(TypedDict):
    targets: list[str]


class Alpha(TypedDict):
    value: float | None
    ci: list[float] | None
    level: Literal["nominal", "ordinal"]
    units: int
    method: str


class AnnotatedTrace(TypedDict):
    traceDbId: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    itemId: str | None
    input: str | None
    output: str | None
    expected: str | None


class Annotation(TypedDict):
    id: Id
    traceDbId: str
    userId: str
    rating: str | None
    comment: str | None
    createdAt: Timestamp


class AnnotationOfTrace(TypedDict):
    id: Id
    traceDbId: Id
    aiComponentId: str | None
    runId: str | None
    runName: str | None
    userId: str
    name: str | None
    rating: str | None
    comment: str | None
    correctedOutput: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


class AnnotationPolicy(TypedDict):
    ratersPerItem: int | None
    blind: bool
    ratings: list[str] | None


class AnnotationWithTrace(TypedDict):
    id: Id
    traceDbId: str
    userId: str
    rating: str | None
    comment: str | None
    createdAt: Timestamp
    trace: AnnotatedTrace | None


class ApiKey(TypedDict):
    id: Id
    name: str
    role: KeyRole
    prefix: str
    lastFour: str
    createdBy: Id
    createdAt: Timestamp
    lastUsedAt: str | None
    expiresAt: str | None


class ArrivedTrace(TypedDict):
    id: Id
    traceId: str
    name: str | None
    service: str | None
    arrivedAt: Timestamp


class AssignSplitsShares(TypedDict):
    train: NotRequired[float]
    validation: NotRequired[float]
    test: NotRequired[float]


class AssignSplits(TypedDict):
    shares: AssignSplitsShares
    seed: NotRequired[str]
    items: NotRequired[Literal["all", "without_split"]]


class AssignedSplitsCounts(TypedDict):
    train: int
    validation: int
    test: int


class AssignedSplitsBeforeItem(TypedDict):
    split: Literal["train", "validation", "test", None]
    ids: list[Id]


class AssignedSplits(TypedDict):
    changed: int
    counts: AssignedSplitsCounts
    before: list[AssignedSplitsBeforeItem]


class AssignedTraces(TypedDict):
    componentId: Id
    assignedCount: int
    hasMore: bool


class AuditEvent(TypedDict):
    id: Id
    actorId: Id
    actorKind: str
    action: str
    resourceId: str | None
    detail: str | None
    requestId: str
    address: str | None
    count: int
    createdAt: Timestamp


class BadImportRow(TypedDict):
    row: int
    column: str | None
    reason: str
    found: str | None


class BulkDelete(TypedDict):
    ids: NotRequired[list[str]]
    q: NotRequired[str]
    expectedCount: NotRequired[int]


class BulkDeleted(TypedDict):
    deleted: int


class CaseCounts(TypedDict):
    total: int
    passed: int
    notPassed: int
    failed: int
    skipped: int
    pending: int


class CaseScore(TypedDict):
    evaluator: str
    repetition: int
    state: Literal["queued", "running", "retrying", "scored", "failed", "skipped"]
    score: float | None
    label: str | None
    passed: bool | None
    reason: str | None
    error: str | None
    attempts: int
    details: dict[str, Any] | None
    costUsd: float | None


class ChangeItemsSet(TypedDict):
    split: Literal["train", "validation", "test", None]


class ChangeItems(TypedDict):
    ids: NotRequired[list[Id]]
    where: NotRequired[ItemSelection]
    set: NotRequired[ChangeItemsSet]
    delete: NotRequired[Literal[True]]


class ChangedItemsBeforeItem(TypedDict):
    split: Literal["train", "validation", "test", None]
    ids: list[Id]


class ChangedItems(TypedDict):
    changed: int
    before: list[ChangedItemsBeforeItem]


class ChosenCandidate(TypedDict):
    runId: Id
    name: str | None
    metric: str
    chosenFrom: int
    items: int
    difference: float
    expectedDifference: float
    ci: list[float] | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str


class CompareCandidates(TypedDict):
    baseline: Id
    candidates: list[Id]
    metric: NotRequired[str]
    margin: NotRequired[float]
    split: NotRequired[Literal["train", "validation", "test"]]


class ComparedLabelsSame(TypedDict):
    mean: float | None
    ci: list[float] | None
    method: str


ComparedLabelsChangesItem = TypedDict(
    "ComparedLabelsChangesItem",
    {
        "from": "str",
        "to": "str",
        "count": "int",
        "items": "list[Id]",
    },
)


class ComparedLabels(TypedDict):
    name: str
    n: int
    missing: int
    failed: int
    same: ComparedLabelsSame
    changes: list[ComparedLabelsChangesItem]


class ComparedMetricEvaluations(TypedDict):
    baseline: str | None
    candidate: str | None


class ComparedMetricValues(TypedDict):
    baseline: int
    candidate: int


class ComparedMetricBaseline(TypedDict):
    mean: float | None
    ci: list[float] | None
    method: str


class ComparedMetricCandidate(TypedDict):
    mean: float | None
    ci: list[float] | None
    method: str


class ComparedMetricTest(TypedDict):
    method: str
    statistic: float
    p: float
    pAdjusted: float


class ComparedMetricAlone(TypedDict):
    ci: list[float] | None
    p: float


class ComparedMetricFlips(TypedDict):
    toFail: list[Id]
    toFailCount: int
    toPass: list[Id]
    toPassCount: int


class ComparedMetricOrderFlips(TypedDict):
    count: int
    n: int


class ComparedMetricPowerCasesFor(TypedDict):
    difference: float
    cases: int


class ComparedMetricPower(TypedDict):
    detectableDifference: float | None
    casesFor: ComparedMetricPowerCasesFor | None


class ComparedMetric(TypedDict):
    name: str
    kind: Literal["binary", "numeric"]
    role: Literal["quality", "reported"]
    higherIsBetter: bool
    scale: list[float] | None
    evaluations: ComparedMetricEvaluations | None
    n: int
    items: int
    values: ComparedMetricValues
    groups: int | None
    designEffect: float | None
    missing: int
    failed: int
    baseline: ComparedMetricBaseline
    candidate: ComparedMetricCandidate
    difference: float | None
    ci: list[float] | None
    confidence: float
    method: str
    ratio: float | None
    ratioCi: list[float] | None
    totalRatio: float | None
    test: ComparedMetricTest | None
    correction: str | None
    alone: ComparedMetricAlone | None
    marginCi: list[float] | None
    wins: int
    ties: int
    losses: int
    flips: ComparedMetricFlips | None
    orderFlips: ComparedMetricOrderFlips | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    notWorseThanMargin: bool | None
    summary: str
    warning: str | None
    power: ComparedMetricPower
    measuredAs: str | None
    missingItems: MissingItems
    corrected: CorrectedDifference | None


class ComparisonBaseline(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None


class ComparisonCandidate(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None


class ComparisonPrompts(TypedDict):
    baseline: list[RunPrompt]
    candidate: list[RunPrompt]


class Comparison(TypedDict):
    baseline: ComparisonBaseline
    candidate: ComparisonCandidate
    prompts: ComparisonPrompts
    pairs: int
    onlyBaseline: int
    onlyCandidate: int
    failed: int
    groupBy: str | None
    split: Literal["train", "validation", "test", None]
    margin: float | None
    testSet: TestSet | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    metrics: list[ComparedMetric]
    labels: list[ComparedLabels]
    notCompared: list[NotCompared]
    itemChanges: ItemChanges
    looks: int
    looking: Looking
    warnings: list[str]
    counts: NotRequired[RowCounts]
    total: int
    data: list[ComparisonRow]


class ComparisonFamily(TypedDict):
    summary: str
    chosen: ChosenCandidate | None
    candidates: list[FamilyMember]


class ComparisonRowScoresItem(TypedDict):
    name: str
    repetition: int
    baseline: float | str | None
    candidate: float | str | None
    delta: float | None


class ComparisonRow(TypedDict):
    itemId: str | None
    baselineTraceId: str | None
    candidateTraceId: str | None
    failed: list[str]
    scores: list[ComparisonRowScoresItem]
    texts: NotRequired[ComparisonTexts]


class ComparisonSummaryMetric(TypedDict):
    name: str
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    difference: float | None
    ci: list[float] | None
    ratio: float | None
    ratioCi: list[float] | None
    items: int
    scale: list[float] | None
    higherIsBetter: bool


class ComparisonSummaryGate(TypedDict):
    passed: bool
    summary: str


class ComparisonSummary(TypedDict):
    evaluationId: Id
    baseline: OverviewRun
    candidate: OverviewRun
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    pairs: int
    split: Literal["train", "validation", "test", None]
    metric: ComparisonSummaryMetric | None
    gate: ComparisonSummaryGate | None


class ComparisonTextsResultsItem(TypedDict):
    run: Literal["baseline", "candidate"]
    name: str
    repetition: int
    passed: bool | None
    reason: ShortenedText | None
    error: ShortenedText | None


class ComparisonTextsRatingsItem(TypedDict):
    run: Literal["baseline", "candidate"]
    userId: Id
    rating: str | None
    comment: ShortenedText | None
    createdAt: Timestamp


class ComparisonTexts(TypedDict):
    repetition: int | None
    number: int | None
    shownLeft: Literal["baseline", "candidate"] | None
    split: Literal["train", "validation", "test", None]
    input: ShortenedText | None
    expected: ShortenedText | None
    baseline: ShortenedText | None
    candidate: ShortenedText | None
    results: list[ComparisonTextsResultsItem]
    ratings: list[ComparisonTextsRatingsItem]


class Component(TypedDict):
    id: Id
    name: str
    description: str | None
    workspaceId: Id
    createdAt: Timestamp
    updatedAt: Timestamp


class ComponentOverviewComponent(TypedDict):
    id: Id
    name: str
    description: str | None


class ComponentOverviewCounts(TypedDict):
    prompts: int
    datasets: int
    runs: int
    evaluations: int
    experiments: int


class ComponentOverviewWorking(TypedDict):
    current: TraceNumbersWithCost
    previous: TraceNumbersWithCost


class ComponentOverviewGood(TypedDict):
    evaluation: EvaluatedMetrics | None
    previous: EvaluatedMetrics | None
    history: list[EvaluatedMetrics]
    insights: list[OverviewInsight]
    comparison: ComparisonSummary | None


class ComponentOverviewNeeds(TypedDict):
    remaining: int
    openDisagreements: int
    runs: list[RunToRate]
    failedEvaluations: list[OverviewEvaluation]
    failingTraces: int


class ComponentOverviewDatasetsItem(TypedDict):
    id: Id
    name: str
    itemCount: int


ComponentOverview = TypedDict(
    "ComponentOverview",
    {
        "component": "ComponentOverviewComponent",
        "from": "Timestamp",
        "to": "Timestamp",
        "bucketSeconds": "int",
        "counts": "ComponentOverviewCounts",
        "working": "ComponentOverviewWorking",
        "good": "ComponentOverviewGood",
        "needs": "ComponentOverviewNeeds",
        "newestRun": "NewestRun | None",
        "datasets": "list[ComponentOverviewDatasetsItem]",
        "activity": "list[Activity]",
    },
)


ComponentSummaries = TypedDict(
    "ComponentSummaries",
    {
        "from": "Timestamp",
        "to": "Timestamp",
        "bucketSeconds": "int",
        "data": "list[ComponentSummary]",
        "nextCursor": "str | None",
    },
)


class ComponentSummaryWork(TypedDict):
    remaining: int
    openDisagreements: int
    hasMore: bool


class ComponentSummaryCounts(TypedDict):
    prompts: int
    datasets: int
    runs: int
    evaluations: int
    experiments: int


class ComponentSummary(TypedDict):
    id: Id
    name: str
    description: str | None
    traces: TraceNumbers
    work: ComponentSummaryWork
    counts: ComponentSummaryCounts
    newestRun: RatedRun | None
    newestEvaluation: OverviewEvaluation | None
    headline: HeadlineMetric | None
    comparison: ComparisonSummary | None


class ComponentTrendsTraces(TypedDict):
    counted: Literal["production", "all"]
    others: int
    isSampled: bool
    buckets: list[TrendBucket]


ComponentTrends = TypedDict(
    "ComponentTrends",
    {
        "from": "Timestamp",
        "to": "Timestamp",
        "bucketSeconds": "int",
        "evaluations": "list[TrendEvaluation]",
        "hasMoreEvaluations": "bool",
        "traces": "ComponentTrendsTraces",
        "versions": "list[VersionChange]",
    },
)


class Connection(TypedDict):
    id: Id
    name: str
    kind: Literal["openai", "anthropic", "gemini"]
    baseUrl: str
    hasKey: bool
    models: list[str]
    retirements: list[ModelRetirement]
    concurrency: int
    requestsPerMinute: int | None
    createdAt: Timestamp
    updatedAt: Timestamp


class ConnectionTest(TypedDict):
    ok: bool
    summary: str
    models: list[str]


class ContinuedTry(TypedDict):
    conversation: list[TriedMessage]
    toolAnswers: list[PromptToolAnswer]


class CorrectedDifference(TypedDict):
    difference: float | None
    ci: list[float] | None
    marginCi: list[float] | None
    scale: list[float] | None
    labels: int
    excluded: int
    judgeWeight: float | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    method: str


class CorrectedOutput(TypedDict):
    correctedOutput: str | None


class CountedAgreement(TypedDict):
    raters: list[CountedRater]
    categories: list[str]
    items: int
    excluded: int
    pairs: list[CountedRaterPair]
    alpha: Alpha
    disagreements: list[Disagreement]
    disagreementsTotal: int
    judges: list[JudgeAgreement]
    summary: str
    consensus: NotRequired[RatingConsensus | None]


class CountedRaterRatingsItem(TypedDict):
    rating: str
    count: int


class CountedRater(TypedDict):
    userId: str
    name: str | None
    count: int
    ratings: list[CountedRaterRatingsItem]


class CountedRaterPairRatingsItem(TypedDict):
    a: str
    b: str
    count: int


class CountedRaterPair(TypedDict):
    a: str
    b: str
    shared: int
    kappa: float | None
    ci: list[float] | None
    method: str
    summary: NotRequired[str]
    ratings: list[CountedRaterPairRatingsItem]


class CreatedApiKey(TypedDict):
    id: Id
    name: str
    role: KeyRole
    prefix: str
    lastFour: str
    createdBy: Id
    createdAt: Timestamp
    lastUsedAt: str | None
    expiresAt: str | None
    key: str


class CreatedComponent(TypedDict):
    id: Id


class CreatedMember(TypedDict):
    id: Id
    userId: str | None
    name: str | None
    email: str
    role: Role
    state: Literal["member", "invited"]
    createdAt: Timestamp
    expiresAt: str | None
    secondFactor: Literal["on", "off", "provider", None]
    invitationUrl: str


class CreatedSharedLinkAuthor(TypedDict):
    userId: Id
    name: str | None


class CreatedSharedLink(TypedDict):
    id: Id
    author: CreatedSharedLinkAuthor
    createdAt: Timestamp
    expiresAt: Timestamp
    revokedAt: str | None
    openedAt: str | None
    openedCount: int
    url: str


class CreatedTrace(TypedDict):
    id: Id
    traceId: str


class Dataset(TypedDict):
    id: Id
    name: str
    description: str | None
    aiComponentId: Id
    itemCount: int
    createdAt: Timestamp


class DatasetCase(TypedDict):
    id: int
    datasetId: Id
    idx: int | None
    inputPayload: dict[str, Any]
    expectedPayload: Any
    split: Literal["train", "eval", None]
    metadata: dict[str, Any]
    createdAt: Timestamp
    updatedAt: Timestamp


class DatasetChangesBetween(TypedDict):
    version: int
    edited: int
    added: int
    removed: int
    summary: str


class DatasetContentsSplits(TypedDict):
    train: int
    validation: int
    test: int
    none: int


DatasetContentsSources = TypedDict(
    "DatasetContentsSources",
    {
        "trace": "int",
        "import": "int",
        "hand": "int",
    },
)


class DatasetContents(TypedDict):
    items: int
    splits: DatasetContentsSplits
    sources: DatasetContentsSources
    changedAt: str | None
    changedBy: str | None
    testSet: TestSet
    turnedBy: str | None
    turnedToFail: int
    turnedToPass: int
    failing: int


class DatasetHealthChecksItem(TypedDict):
    check: Literal["duplicates", "near_duplicates", "conflicts", "without_expected", "never_run", "test_read"]
    count: int
    itemIds: list[Id]
    method: str


class DatasetHealthNearDuplicates(TypedDict):
    compared: int
    isComplete: bool
    pairs: list[SimilarItems]


class DatasetHealth(TypedDict):
    checks: list[DatasetHealthChecksItem]
    nearDuplicates: DatasetHealthNearDuplicates


class DatasetImport(TypedDict):
    id: Id
    datasetId: Id
    fileName: str | None
    format: Literal["csv", "jsonl", "json"]
    state: Literal["imported", "undone"]
    rows: int
    imported: int
    bad: int
    duplicates: int
    createdBy: Id
    createdAt: Timestamp
    undoneBy: str | None
    undoneAt: str | None
    removed: int | None
    kept: int | None


class DatasetItem(TypedDict):
    id: Id
    datasetId: Id
    traceDbId: str | None
    traceId: str | None
    input: str | None
    output: str | None
    expected: str | None
    metadata: dict[str, Any]
    split: Literal["train", "validation", "test", None]
    createdAt: Timestamp


class DatasetSettings(TypedDict):
    groupBy: str | None
    groups: int | None
    itemsWithoutGroup: int | None


class DatasetSummaries(TypedDict):
    data: list[DatasetSummary]
    nextCursor: str | None


class DatasetSummary(TypedDict):
    id: Id
    name: str
    description: str | None
    itemCount: int
    createdAt: Timestamp
    runs: int
    newestRun: OverviewRun | None
    results: EvaluatedMetrics | None


class DecidedComparisonBaseline(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None
    metadata: dict[str, Any]
    prompts: NotRequired[list[RunPrompt]]


class DecidedComparisonCandidate(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None
    metadata: dict[str, Any]
    prompts: NotRequired[list[RunPrompt]]


class DecidedComparisonWorseItemsDataItemInput(TypedDict):
    text: str
    isCut: bool


class DecidedComparisonWorseItemsDataItemExpected(TypedDict):
    text: str
    isCut: bool


class DecidedComparisonWorseItemsDataItemBaselineOutput(TypedDict):
    text: str
    isCut: bool


class DecidedComparisonWorseItemsDataItemCandidateOutput(TypedDict):
    text: str
    isCut: bool


class DecidedComparisonWorseItemsDataItemScoresItem(TypedDict):
    name: str
    repetition: int
    baseline: float | str | None
    candidate: float | str | None
    delta: float | None


class DecidedComparisonWorseItemsDataItem(TypedDict):
    itemId: str | None
    input: DecidedComparisonWorseItemsDataItemInput | None
    expected: DecidedComparisonWorseItemsDataItemExpected | None
    baselineOutput: DecidedComparisonWorseItemsDataItemBaselineOutput | None
    candidateOutput: DecidedComparisonWorseItemsDataItemCandidateOutput | None
    scores: list[DecidedComparisonWorseItemsDataItemScoresItem]


class DecidedComparisonWorseItems(TypedDict):
    count: int
    isCountCut: bool
    data: list[DecidedComparisonWorseItemsDataItem]


class DecidedComparison(TypedDict):
    component: str
    dataset: str
    baseline: DecidedComparisonBaseline
    candidate: DecidedComparisonCandidate
    pairs: int
    onlyBaseline: int
    onlyCandidate: int
    failed: int
    groupBy: str | None
    split: Literal["train", "validation", "test", None]
    metric: str | None
    margin: float | None
    testSet: TestSet | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    metrics: list[ComparedMetric]
    labels: list[ComparedLabels]
    notCompared: list[NotCompared]
    itemChanges: ItemChanges
    looks: int
    looking: Looking
    warnings: list[str]
    worseItems: DecidedComparisonWorseItems
    serverVersion: str
    comparedAt: Timestamp


class DecisionBaseline(TypedDict):
    runId: Id
    name: str | None


class DecisionCandidate(TypedDict):
    runId: Id
    name: str | None


class DecisionAuthor(TypedDict):
    userId: Id
    name: str | None


class Decision(TypedDict):
    id: Id
    baseline: DecisionBaseline
    candidate: DecisionCandidate
    decision: Literal["release", "hold", "undecided"]
    note: str
    metric: str | None
    margin: float | None
    split: Literal["train", "validation", "test", None]
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    author: DecisionAuthor
    supersededBy: str | None
    createdAt: Timestamp


class DecisionDetailBaseline(TypedDict):
    runId: Id
    name: str | None


class DecisionDetailCandidate(TypedDict):
    runId: Id
    name: str | None


class DecisionDetailAuthor(TypedDict):
    userId: Id
    name: str | None


class DecisionDetail(TypedDict):
    id: Id
    baseline: DecisionDetailBaseline
    candidate: DecisionDetailCandidate
    decision: Literal["release", "hold", "undecided"]
    note: str
    metric: str | None
    margin: float | None
    split: Literal["train", "validation", "test", None]
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    author: DecisionDetailAuthor
    supersededBy: str | None
    createdAt: Timestamp
    comparison: DecidedComparison


class Decisions(TypedDict):
    data: list[Decision]
    nextCursor: str | None


class DeliveredScoresUnknownItem(TypedDict):
    index: int
    reason: str


class DeliveredScores(TypedDict):
    stored: int
    unchanged: int
    unknown: list[DeliveredScoresUnknownItem]


class DeployedPromptPromptMessagesItem(TypedDict):
    role: str
    content: str


class DeployedPrompt(TypedDict):
    prompt: str
    promptMessages: list[DeployedPromptPromptMessagesItem]
    promptFormat: Literal["single", "multi_message"]
    model: str
    provider: str
    componentId: Id
    componentName: str | None
    experimentId: Id
    iterationId: int
    score: float
    schemaSnapshot: dict[str, Any] | None


DeploymentCheckDiff = TypedDict(
    "DeploymentCheckDiff",
    {
        "from": "int",
        "to": "int",
    },
)


class DeploymentCheck(TypedDict):
    label: str
    version: int
    weight: int
    current: PromptLabel | None
    change: int
    baseline: int | None
    gate: PromptLabelGate | None
    needsVerdict: bool
    allowed: bool
    error: str | None
    conditions: list[DeploymentCondition]
    verdict: DeploymentEvidence | None
    metrics: list[ComparedMetric]
    warnings: list[str]
    traffic: LabelTraffic
    share: ShareOfTraffic | None
    itemsNeeded: ItemsNeeded | None
    diff: DeploymentCheckDiff | None
    retirement: RetiredModel | None


class DeploymentCondition(TypedDict):
    key: Literal["role", "version", "compared", "unchanged", "recent", "notWorse"]
    met: bool
    summary: str


class DeploymentEvidenceDataset(TypedDict):
    id: Id
    name: str


class DeploymentEvidenceBaseline(TypedDict):
    version: int
    runId: Id
    runName: str | None
    evaluationId: str | None
    evaluatedAt: str | None
    mean: float | None
    ci: list[float] | None


class DeploymentEvidenceCandidate(TypedDict):
    version: int
    runId: Id
    runName: str | None
    evaluationId: str | None
    evaluatedAt: str | None
    mean: float | None
    ci: list[float] | None


class DeploymentEvidence(TypedDict):
    decisionId: str | None
    dataset: DeploymentEvidenceDataset
    metric: str
    margin: float
    baseline: DeploymentEvidenceBaseline
    candidate: DeploymentEvidenceCandidate
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"] | None
    passed: bool
    summary: str | None
    items: int
    wins: int | None
    ties: int | None
    losses: int | None
    difference: float | None
    ci: list[float] | None
    marginCi: list[float] | None
    ratio: float | None
    ratioCi: list[float] | None
    confidence: float | None
    p: float | None
    looks: int
    rule: Literal["single", "planned", "sequential"]
    warnings: list[str]
    isFromRatings: bool
    comparedAt: Timestamp


class DirectoryEntry(TypedDict):
    userId: Id
    name: str
    state: Literal["member", "former", "example"]
    role: Role | None


class DisagreementRatingsItem(TypedDict):
    userId: str
    rating: str
    comment: str | None


class Disagreement(TypedDict):
    traceDbId: str
    ratings: list[DisagreementRatingsItem]


class DisagreementsStepsItem(TypedDict):
    steps: int
    count: int


class Disagreements(TypedDict):
    data: list[ResolvableDisagreement]
    nextCursor: str | None
    total: int
    open: int
    resolved: int
    steps: list[DisagreementsStepsItem]


class DuplicateImportRow(TypedDict):
    row: int
    by: Literal["input", "trace"]
    itemId: str | None
    firstRow: int | None
    found: str | None


class DuplicatedExperimentInitialPromptMessagesItem(TypedDict):
    role: str
    content: str


class DuplicatedExperimentInputVariablesItem(TypedDict):
    name: str
    column: str


class DuplicatedExperiment(TypedDict):
    id: Id
    datasetId: Id
    name: str | None
    description: str | None
    targetModel: str
    provider: str
    aiComponentId: Id
    customProviderId: str | None
    createdByUser: str | None
    experimentStatus: Literal["pending", "scheduled", "running", "completed", "failed"]
    taskType: Literal["classification", "textGeneration", "structuredOutput", "toolSelection"]
    optimizer: str
    tokensUsed: float
    promptFormat: Literal["single", "multi_message"]
    initialPromptMessages: list[DuplicatedExperimentInitialPromptMessagesItem]
    initialPromptTokens: int | None
    initialPredictionModelSchema: dict[str, Any] | None
    runNumber: int | None
    hyperparameters: PrompticHyperparameters
    startedAt: str | None
    endedAt: str | None
    retries: int
    errorCode: str | None
    errorMessage: str | None
    createdAt: Timestamp
    updatedAt: Timestamp
    inputVariables: NotRequired[list[DuplicatedExperimentInputVariablesItem]]
    systemPrompt: NotRequired[str | None]
    optimizeSystemPrompt: NotRequired[bool]
    optimizedSystemPrompt: NotRequired[str | None]
    modelUnavailable: bool


class Endpoint(TypedDict):
    id: Id
    name: str
    baseUrl: str
    headerNames: list[str]
    concurrency: int
    requestsPerMinute: int | None
    timeoutSeconds: int
    createdAt: Timestamp
    updatedAt: Timestamp


class EndpointTest(TypedDict):
    ok: bool
    summary: str
    status: int | None
    durationMs: float | None
    answer: str | None
    output: Any


class Error(TypedDict):
    error: str


class EvaluatedMetricsDataset(TypedDict):
    id: Id
    name: str


class EvaluatedMetricsScores(TypedDict):
    total: int
    done: int
    failed: int


class EvaluatedMetrics(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    dataset: EvaluatedMetricsDataset
    run: OverviewRun | None
    scores: EvaluatedMetricsScores
    createdAt: Timestamp
    completedAt: str | None
    metrics: list[OverviewMetric]
    headline: str | None


class Evaluation(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    datasetId: Id
    createdAt: Timestamp


class EvaluationCase(TypedDict):
    id: str
    itemId: str | None
    traceDbId: str | None
    hasTrace: bool
    input: str | None
    output: str | None
    expected: str | None
    scores: list[CaseScore]
    scoreCount: int


class EvaluationCases(TypedDict):
    data: list[EvaluationCase]
    nextCursor: str | None
    counts: CaseCounts | None


class EvaluationDetailProgress(TypedDict):
    total: int
    done: int
    failed: int
    skipped: int


class EvaluationDetail(TypedDict):
    id: Id
    name: str | None
    aiComponentId: Id
    datasetId: Id
    runId: str | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    config: dict[str, Any]
    progress: EvaluationDetailProgress
    results: dict[str, Any] | None
    startedAt: str | None
    completedAt: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


class EvaluationEstimateGate(TypedDict):
    metric: str
    margin: float | None
    items: int
    itemsNeeded: int | None
    basis: Literal["pairs", "baseline", "assumed", None]
    summary: str


class EvaluationEstimate(TypedDict):
    cases: int
    scores: int
    calls: int
    expectedCostUsd: float | None
    unpricedModels: list[str]
    detectableDifference: float | None
    summary: str
    gate: NotRequired[EvaluationEstimateGate | None]


class EvaluationPreview(TypedDict):
    cases: list[PreviewCase]
    calls: int
    costUsd: float | None


class EvaluationSummaries(TypedDict):
    data: list[EvaluationSummary]
    nextCursor: str | None


class EvaluationSummaryDataset(TypedDict):
    id: Id
    name: str


class EvaluationSummaryScores(TypedDict):
    total: int
    done: int
    failed: int


class EvaluationSummary(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    dataset: EvaluationSummaryDataset
    run: OverviewRun | None
    scores: EvaluationSummaryScores
    createdAt: Timestamp
    completedAt: str | None
    metrics: list[OverviewMetric]
    headline: str | None
    comparison: ComparisonSummary | None
    spentUsd: float | None


class EvaluatorType(TypedDict):
    type: str
    summary: str
    kind: Literal["binary", "numeric", "categorical", None]
    needs: list[Literal["output", "expected", "baseline", "trace", "steps", "ratings", "model"]]
    options: dict[str, Any]


class ExampleDataAuthorsItem(TypedDict):
    userId: Id
    name: str


class ExampleData(TypedDict):
    loaded: bool
    componentId: str | None
    datasetId: str | None
    runIds: list[Id]
    evaluationIds: list[Id]
    authors: list[ExampleDataAuthorsItem]
    createdAt: str | None


class Experiment(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    endedBy: Literal["nothingToImprove", "patience", "calls", "budget", "time", "stopped", "canceled", None]
    datasetId: Id
    promptId: Id
    createdAt: Timestamp


class ExperimentAnswer(TypedDict):
    call: int
    split: Literal["train", "validation"]
    itemId: Id
    question: str | None
    score: float | None
    scores: list[ExperimentAnswerScore]
    reason: str | None
    costUsd: float
    traceId: str | None


class ExperimentAnswerScore(TypedDict):
    metric: str
    score: float | None
    reason: str | None


class ExperimentBudget(TypedDict):
    maxCostUsd: NotRequired[float]
    maxCalls: NotRequired[int]
    maxMinutes: NotRequired[int]
    patience: NotRequired[int]


class ExperimentComparison(TypedDict):
    verdict: str
    summary: str
    difference: float | None
    ci: list[float] | None


class ExperimentCourse(TypedDict):
    metric: str | None
    items: int
    data: list[ExperimentCoursePoint]
    expected: list[ExperimentExpected]


class ExperimentCoursePointSample(TypedDict):
    items: int
    own: float
    parent: float


class ExperimentCoursePoint(TypedDict):
    number: int
    parent: int | None
    kind: Literal["start", "reflection", "demonstrations", "combination", "merge"]
    state: Literal["proposed", "rejected", "screened", "validated", "finalist"]
    step: Literal["sampling", "reflecting", "composing", "screening", "screened", "validating", "ended"]
    fate: Literal["copied", "frozen", "tooLong", "unusable", "repeated", "nothingToImprove", "noGain", "outdone", "worse", "unfinished", None]
    reason: str | None
    title: str | None
    version: int | None
    mean: float | None
    ci: list[float] | None
    answered: int
    sample: ExperimentCoursePointSample | None
    front: int | None
    costUsd: float | None
    tokens: int | None
    createdAt: Timestamp


class ExperimentDetailItems(TypedDict):
    train: int
    validation: int
    test: int


class ExperimentDetailCost(TypedDict):
    spentUsd: float
    maxUsd: float | None


class ExperimentDetail(TypedDict):
    id: Id
    name: str | None
    aiComponentId: Id
    datasetId: Id
    promptId: Id
    version: int
    status: Literal["pending", "running", "completed", "failed"]
    phase: Literal["created", "searching", "choosing", "testing", "ended"]
    endedBy: Literal["nothingToImprove", "patience", "calls", "budget", "time", "stopped", "canceled", None]
    reason: str | None
    error: str | None
    items: ExperimentDetailItems
    progress: ExperimentProgress
    validation: ExperimentValidation | None
    cost: ExperimentDetailCost
    trialId: str | None
    warnings: list[str]
    plan: dict[str, Any]
    endsAt: str | None
    startedAt: str | None
    completedAt: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


ExperimentDiffMessagesItem = TypedDict(
    "ExperimentDiffMessagesItem",
    {
        "change": "Literal['same', 'changed', 'removed', 'added']",
        "from": "int | None",
        "to": "int | None",
        "before": "PromptMessage | None",
        "after": "PromptMessage | None",
        "hunks": "list[PromptHunk]",
    },
)


class ExperimentDiffVariables(TypedDict):
    added: list[str]
    removed: list[str]


class ExperimentDiffPlaceholders(TypedDict):
    added: list[str]
    removed: list[str]


ExperimentDiff = TypedDict(
    "ExperimentDiff",
    {
        "from": "int",
        "to": "int",
        "messages": "list[ExperimentDiffMessagesItem]",
        "variables": "ExperimentDiffVariables",
        "placeholders": "ExperimentDiffPlaceholders",
        "tools": "list[ToolDescriptionChange]",
    },
)


class ExperimentEstimateTogether(TypedDict):
    pairs: int
    examples: list[ExperimentSimilarItems]


class ExperimentEstimate(TypedDict):
    items: ExperimentItems
    drawn: int
    proposals: int
    calls: int
    expectedCostUsd: float | None
    testCostUsd: float | None
    unpricedModels: list[str]
    detectableDifference: float | None
    openings: int
    leaks: list[ExperimentLeak]
    together: ExperimentEstimateTogether
    warnings: list[str]
    summary: str


class ExperimentExpected(TypedDict):
    number: int
    difference: float
    ci: list[float] | None


class ExperimentFinalist(TypedDict):
    iteration: int
    version: int
    runId: Id
    comparison: ExperimentComparison | None


class ExperimentFront(TypedDict):
    data: list[ExperimentFrontMember]
    items: int


class ExperimentFrontMember(TypedDict):
    number: int
    best: int
    mean: float | None
    costUsd: float | None


class ExperimentItemChange(TypedDict):
    itemId: Id
    question: str | None
    before: float
    after: float
    beforeTraceId: str | None
    afterTraceId: str | None


class ExperimentItems(TypedDict):
    train: int
    validation: int
    test: int


class ExperimentIteration(TypedDict):
    number: int
    kind: Literal["start", "reflection", "demonstrations", "combination", "merge"]
    state: Literal["proposed", "rejected", "screened", "validated", "finalist"]
    fate: Literal["copied", "frozen", "tooLong", "unusable", "repeated", "nothingToImprove", "noGain", "outdone", "worse", "unfinished", None]
    reason: str | None
    hash: str | None
    messages: list[PromptMessage] | None
    toolDescriptions: list[ToolDescription] | None
    diagnosis: str | None
    mean: float | None
    demonstrations: int
    version: int | None
    createdAt: Timestamp
    parents: NotRequired[list[int]]
    scores: NotRequired[list[ExperimentScore]]


class ExperimentIterationDetailTokens(TypedDict):
    before: int | None
    after: int | None


class ExperimentIterationDetailChanges(TypedDict):
    better: int
    worse: int
    same: int
    data: list[ExperimentItemChange]


class ExperimentIterationDetail(TypedDict):
    number: int
    parent: int | None
    against: int
    state: Literal["proposed", "rejected", "screened", "validated", "finalist"]
    fate: Literal["copied", "frozen", "tooLong", "unusable", "repeated", "nothingToImprove", "noGain", "outdone", "worse", "unfinished", None]
    reason: str | None
    diagnosis: str | None
    reflectionTraceId: str | None
    messages: list[PromptMessage] | None
    tokens: ExperimentIterationDetailTokens
    version: int | None
    scores: list[ExperimentMetricChange]
    changes: ExperimentIterationDetailChanges


class ExperimentLeak(TypedDict):
    splits: list[Literal["train", "validation", "test"]]
    pairs: int
    summary: str
    examples: list[ExperimentSimilarItems]


class ExperimentMetricChange(TypedDict):
    metric: str
    items: int
    before: float | None
    after: float | None


class ExperimentModel(TypedDict):
    provider: NotRequired[str]
    model: NotRequired[str]


class ExperimentObjective(TypedDict):
    metric: str
    role: Literal["improve", "notWorse", "tieBreak"]
    margin: NotRequired[float]


class ExperimentPreviewMeans(TypedDict):
    start: float | None
    proposal: float | None


class ExperimentPreview(TypedDict):
    items: list[ExperimentPreviewItem]
    means: ExperimentPreviewMeans
    diagnosis: str | None
    messages: list[PromptMessage] | None
    diff: ExperimentPreviewDiff | None
    fate: Literal["copied", "frozen", "tooLong", "unusable", "repeated", "nothingToImprove", "noGain", "outdone", "worse", "unfinished", None]
    reason: str | None
    costUsd: float | None
    summary: str


class ExperimentPreviewAnswer(TypedDict):
    output: str | None
    score: float | None
    error: str | None


ExperimentPreviewDiffMessagesItem = TypedDict(
    "ExperimentPreviewDiffMessagesItem",
    {
        "change": "Literal['same', 'changed', 'removed', 'added']",
        "from": "int | None",
        "to": "int | None",
        "before": "PromptMessage | None",
        "after": "PromptMessage | None",
        "hunks": "list[PromptHunk]",
    },
)


class ExperimentPreviewDiffVariables(TypedDict):
    added: list[str]
    removed: list[str]


class ExperimentPreviewDiffPlaceholders(TypedDict):
    added: list[str]
    removed: list[str]


class ExperimentPreviewDiff(TypedDict):
    messages: list[ExperimentPreviewDiffMessagesItem]
    variables: ExperimentPreviewDiffVariables
    placeholders: ExperimentPreviewDiffPlaceholders
    tools: list[ToolDescriptionChange]


class ExperimentPreviewItem(TypedDict):
    itemId: Id
    question: str | None
    start: ExperimentPreviewAnswer
    proposal: ExperimentPreviewAnswer | None


class ExperimentProgressAnswers(TypedDict):
    done: int
    failed: int
    open: int


class ExperimentProgressReflections(TypedDict):
    done: int
    failed: int
    open: int


class ExperimentProgress(TypedDict):
    proposals: int
    validated: int
    rejected: ExperimentRejected
    answers: ExperimentProgressAnswers
    reflections: ExperimentProgressReflections


class ExperimentRejected(TypedDict):
    copied: int
    frozen: int
    tooLong: int
    unusable: int
    repeated: int
    nothingToImprove: int
    noGain: int
    outdone: int
    worse: int
    unfinished: int


class ExperimentResultsCost(TypedDict):
    answersUsd: float
    reflectionsUsd: float
    searchUsd: float
    testUsd: float
    totalUsd: float


class ExperimentResults(TypedDict):
    optimizer: str
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases", "noFinalist", "noVerdict", None]
    summary: str
    test: ExperimentTest | None
    validation: ExperimentValidation | None
    proposals: int
    rejected: ExperimentRejected
    openings: int
    warnings: list[str]
    cost: ExperimentResultsCost


class ExperimentScore(TypedDict):
    metric: str
    train: float | None
    validation: float | None


class ExperimentSearch(TypedDict):
    parents: NotRequired[int]
    proposals: NotRequired[int]
    sample: NotRequired[int]


class ExperimentSimilarItem(TypedDict):
    id: Id
    question: str | None
    split: Literal["train", "validation", "test", None]


class ExperimentSimilarItems(TypedDict):
    similarity: float
    items: list[ExperimentSimilarItem]


class ExperimentSummaries(TypedDict):
    data: list[ExperimentSummary]
    nextCursor: str | None
    splits: list[ExperimentTestSplit]


class ExperimentSummaryDataset(TypedDict):
    id: Id
    name: str


class ExperimentSummaryPrompt(TypedDict):
    id: Id
    name: str | None
    version: int


class ExperimentSummaryResult(TypedDict):
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases", "noFinalist", "noVerdict", None]
    difference: float | None
    ci: list[float] | None
    items: int
    version: int | None


class ExperimentSummaryCost(TypedDict):
    spentUsd: float
    maxUsd: float | None


class ExperimentSummary(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    phase: Literal["created", "searching", "choosing", "testing", "ended"]
    endedBy: Literal["nothingToImprove", "patience", "calls", "budget", "time", "stopped", "canceled", None]
    error: str | None
    optimizer: str
    metric: str | None
    dataset: ExperimentSummaryDataset
    prompt: ExperimentSummaryPrompt
    createdBy: Id
    proposals: int
    validated: int
    validation: ExperimentValidation | None
    result: ExperimentSummaryResult | None
    cost: ExperimentSummaryCost
    createdAt: Timestamp
    startedAt: str | None
    completedAt: str | None


class ExperimentTest(TypedDict):
    trialId: Id
    items: int
    metric: str | None
    baselineRunId: str | None
    finalists: list[ExperimentFinalist]


class ExperimentTestSplit(TypedDict):
    datasetId: Id
    name: str
    testItems: int
    openings: int
    earlierOpenings: int


class ExperimentValidationBest(TypedDict):
    number: int
    mean: float
    ci: list[float] | None


class ExperimentValidationExpectedOnNew(TypedDict):
    difference: float
    ci: list[float] | None


class ExperimentValidation(TypedDict):
    items: int
    candidates: int
    start: float | None
    startCi: list[float] | None
    best: ExperimentValidationBest | None
    expectedOnNew: ExperimentValidationExpectedOnNew | None


class FacetGroupsDataItemValuesItem(TypedDict):
    value: str
    count: int | None
    isExact: bool


class FacetGroupsDataItem(TypedDict):
    field: Literal["status", "kind", "name", "model", "provider", "tag", "user", "session", "service", "environment", "prompt", "source", "component", "rating", "score", "metadata", "has"]
    values: list[FacetGroupsDataItemValuesItem]
    isComplete: bool


class FacetGroups(TypedDict):
    data: list[FacetGroupsDataItem]


class FacetValuesDataItem(TypedDict):
    value: str
    count: int | None
    isExact: bool


class FacetValues(TypedDict):
    data: list[FacetValuesDataItem]
    isComplete: bool


class FamilyMemberBaseline(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None


class FamilyMemberCandidate(TypedDict):
    runId: Id
    name: str | None
    traceCount: int
    evaluationId: str | None


class FamilyMember(TypedDict):
    baseline: FamilyMemberBaseline
    candidate: FamilyMemberCandidate
    pairs: int
    onlyBaseline: int
    onlyCandidate: int
    looking: Looking
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"]
    summary: str
    metrics: list[ComparedMetric]
    notCompared: list[NotCompared]
    itemChanges: ItemChanges
    testSet: TestSet | None


class HeadlineMetric(TypedDict):
    name: str
    evaluationId: Id
    mean: float | None
    ci: list[float] | None
    n: int
    cases: int
    failed: int
    kind: str | None
    scale: list[float] | None
    higherIsBetter: bool
    summary: str | None


Id: TypeAlias = "str"


ImportColumn = TypedDict(
    "ImportColumn",
    {
        "column": "str",
        "field": "str",
        "as": "Literal['text', 'json']",
    },
)


class ImportReportBad(TypedDict):
    count: int
    rows: list[BadImportRow]


class ImportReportDuplicates(TypedDict):
    count: int
    skipped: int
    rows: list[DuplicateImportRow]


class ImportReport(TypedDict):
    importId: str | None
    dryRun: bool
    format: Literal["csv", "jsonl", "json"]
    encoding: Literal["utf-8", "utf-16le", "utf-16be"]
    delimiter: str | None
    rows: int
    imported: int
    bad: ImportReportBad
    duplicates: ImportReportDuplicates
    mapping: list[ImportColumn]


class ImportResultErrorsItem(TypedDict):
    row: int
    error: str


class ImportResult(TypedDict):
    imported: int
    skipped: int
    errors: list[ImportResultErrorsItem]


class InstallationHealthSearchIndex(TypedDict):
    state: Literal["none", "building", "ready"]
    bytes: int | None
    spansBehind: int | None


class InstallationHealthProcess(TypedDict):
    nodeVersion: str
    startedAt: Timestamp
    memoryBytes: int
    eventLoopUtilization: float
    windowSeconds: int
    worker: Literal["running", "stalled", "none"]


class InstallationHealth(TypedDict):
    engine: str
    engineVersion: str
    databaseBytes: int
    searchIndex: InstallationHealthSearchIndex
    process: InstallationHealthProcess


class Instance(TypedDict):
    version: str
    setupNeeded: bool
    signupOpen: bool
    sendsMail: bool
    oidcOnly: bool
    oidcName: str | None


class InstanceHealthIngest(TypedDict):
    windowSeconds: int
    traces: int
    spansToday: int
    storedBytes: int


class InstanceHealth(TypedDict):
    version: str
    checkedAt: Timestamp
    scope: Literal["installation", "application"]
    jobs: list[JobCount]
    ingest: InstanceHealthIngest
    installation: InstallationHealth | None


class Invitation(TypedDict):
    email: str
    workspaceName: str
    role: Role
    expiresAt: Timestamp


class ItemChangesChanged(TypedDict):
    count: int
    items: list[Id]


class ItemChangesRemoved(TypedDict):
    count: int
    items: list[Id]


class ItemChangesAdded(TypedDict):
    count: int
    items: list[Id]


class ItemChanges(TypedDict):
    changed: ItemChangesChanged
    removed: ItemChangesRemoved
    added: ItemChangesAdded
    unverified: int
    duplicates: int
    summary: str | None


class ItemDetailHistory(TypedDict):
    createdBy: str | None
    changedAt: str | None
    changedBy: str | None


class ItemDetail(TypedDict):
    item: DatasetItem
    row: ItemRow
    runs: list[RunColumn]
    history: ItemDetailHistory


class ItemMetric(TypedDict):
    name: str
    state: Literal["scored", "failed", "skipped", "pending"]
    score: float | None
    label: str | None
    passed: bool | None
    repetitions: int


class ItemResult(TypedDict):
    runId: Id
    traceId: str | None
    turned: Literal["to_fail", "to_pass", None]
    metrics: list[ItemMetric]


class ItemRowSource(TypedDict):
    kind: Literal["trace", "import", "hand"]
    traceId: str | None
    traceDbId: str | None


class ItemRow(TypedDict):
    id: Id
    number: int
    input: TextPreview | None
    expected: TextPreview | None
    metadata: TextPreview | None
    split: Literal["train", "validation", "test", None]
    group: str | None
    source: ItemRowSource
    createdAt: Timestamp
    changedAt: str | None
    results: list[ItemResult]


class ItemRows(TypedDict):
    runs: list[RunColumn]
    data: list[ItemRow]
    nextCursor: str | None
    total: int


class ItemSelection(TypedDict):
    q: NotRequired[str]
    split: NotRequired[Literal["train", "validation", "test", "none"]]
    source: NotRequired[Literal["trace", "import", "hand"]]
    filter: NotRequired[Literal["duplicates", "near_duplicates", "conflicts", "without_expected", "never_run", "test_read", "turned_to_fail", "turned_to_pass", "failing"]]


class ItemsEstimate(TypedDict):
    items: int
    detectableDifference: float | None


class ItemsFromQuery(TypedDict):
    q: str
    limit: NotRequired[int]
    expected: NotRequired[Literal["none", "output"]]
    split: NotRequired[Literal["train", "validation", "test", None]]


class ItemsFromQueryResult(TypedDict):
    added: int
    skipped: int
    addedIds: list[Id]


class ItemsNeeded(TypedDict):
    ifEqual: int | None
    ifAsMeasured: int | None
    available: int
    summary: str


class JobCount(TypedDict):
    kind: str
    state: Literal["queued", "running", "failed"]
    count: int
    oldestAt: Timestamp


class JudgeAgreement(TypedDict):
    evaluator: str
    shared: int
    kappa: float | None
    kappaCi: list[float] | None
    agreement: float | None
    agreementCi: list[float] | None
    sensitivity: float | None
    sensitivityCi: list[float] | None
    sensitivityN: int
    specificity: float | None
    specificityCi: list[float] | None
    specificityN: int
    method: str
    summary: str


KeyRole: TypeAlias = "Literal['viewer', 'annotator', 'editor']"


class LabelTraffic(TypedDict):
    tracesPerDay: float | None
    days: int
    traces: int
    summary: str


class LeasedCall(TypedDict):
    id: int
    trialId: Id
    variant: str
    itemId: Id
    input: Any
    repetition: int
    traceId: str
    traceparent: str
    lease: Id
    leaseUntil: Timestamp


class LeasedCalls(TypedDict):
    calls: list[LeasedCall]


class ListedModel(TypedDict):
    id: str
    name: str
    provider: str
    group: Literal["openai", "platform", "google", "custom", "openrouter"]
    judgeEligible: bool


class Looking(TypedDict):
    rule: Literal["single", "planned", "sequential"]
    level: float
    items: int
    look: int | None
    plannedLooks: int | None
    plannedItems: int | None
    summary: str


class MappingEntry(TypedDict):
    spanId: str
    source: str
    key: str
    value: Any
    convention: str | None
    field: str | None
    outcome: Literal["used", "outranked", "kept", "linked"]
    note: str | None


class Me(TypedDict):
    kind: Literal["api-key", "session"]
    userId: Id
    name: str | None
    email: str | None
    role: Role
    workspaceId: Id


class Member(TypedDict):
    id: Id
    userId: str | None
    name: str | None
    email: str
    role: Role
    state: Literal["member", "invited"]
    createdAt: Timestamp
    expiresAt: str | None
    secondFactor: Literal["on", "off", "provider", None]


class Message(TypedDict):
    role: str
    parts: list[dict[str, Any]]
    extra: NotRequired[dict[str, Any]]


class MissingItems(TypedDict):
    items: int
    incomplete: int
    baseline: int
    candidate: int
    failed: int
    neither: int
    summary: str | None


class MissingVariable(TypedDict):
    variable: str
    items: int
    of: int


class ModelRetirement(TypedDict):
    model: str
    on: str


class NewDatasetCase(TypedDict):
    inputPayload: dict[str, Any]
    idx: NotRequired[int | None]
    expectedPayload: NotRequired[Any]
    split: NotRequired[Literal["train", "eval", None]]
    metadata: NotRequired[dict[str, Any] | None]


class NewDatasetItem(TypedDict):
    traceId: NotRequired[str]
    input: NotRequired[Any]
    output: NotRequired[Any]
    expected: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]
    split: NotRequired[Literal["train", "validation", "test", None]]


class NewObservation(TypedDict):
    expected: str
    variables: dict[str, Any]
    split: NotRequired[Literal["train", "eval"]]
    idx: NotRequired[float | str | None]


class NewPromptContent(TypedDict):
    messages: list[PromptMessage]
    provider: NotRequired[str | None]
    model: NotRequired[str | None]
    parameters: NotRequired[dict[str, Any]]
    tools: NotRequired[list[dict[str, Any]]]
    responseFormat: NotRequired[dict[str, Any] | None]


class NewPromptLabelGate(TypedDict):
    datasetId: Id
    metric: str
    margin: float
    maxAgeDays: NotRequired[int]


class NewPrompticEvaluator(TypedDict):
    name: str
    type: Literal["f1", "similarity", "referenceJudge", "comparisonJudge", "generalJudge", "structuredOutput", "toolSelection"]
    weight: NotRequired[float]
    description: NotRequired[str | None]
    config: NotRequired[dict[str, Any] | None]
    scaleMin: NotRequired[float]
    scaleMax: NotRequired[float]


class NewSpanEventsItem(TypedDict):
    name: str
    timestamp: NotRequired[str]
    body: NotRequired[dict[str, Any]]


class NewSpan(TypedDict):
    spanId: NotRequired[str]
    parentSpanId: NotRequired[str]
    name: NotRequired[str]
    kind: NotRequired[Literal["llm", "embedding", "retriever", "reranker", "tool", "agent", "chain", "guardrail", "evaluator", "prompt", "span"]]
    startTime: NotRequired[str]
    endTime: NotRequired[str]
    status: NotRequired[Literal["ok", "error"]]
    statusMessage: NotRequired[str]
    input: NotRequired[Any]
    output: NotRequired[Any]
    model: NotRequired[str]
    provider: NotRequired[str]
    inputTokens: NotRequired[int]
    outputTokens: NotRequired[int]
    totalTokens: NotRequired[int]
    costUsd: NotRequired[float]
    modelParameters: NotRequired[dict[str, Any]]
    metadata: NotRequired[dict[str, Any]]
    events: NotRequired[list[NewSpanEventsItem]]


class NewTrace(TypedDict):
    traceId: NotRequired[str]
    name: NotRequired[str]
    kind: NotRequired[Literal["llm", "embedding", "retriever", "reranker", "tool", "agent", "chain", "guardrail", "evaluator", "prompt", "span"]]
    startTime: NotRequired[str]
    endTime: NotRequired[str]
    status: NotRequired[Literal["ok", "error"]]
    statusMessage: NotRequired[str]
    input: NotRequired[Any]
    output: NotRequired[Any]
    model: NotRequired[str]
    provider: NotRequired[str]
    inputTokens: NotRequired[int]
    outputTokens: NotRequired[int]
    totalTokens: NotRequired[int]
    costUsd: NotRequired[float]
    modelParameters: NotRequired[dict[str, Any]]
    metadata: NotRequired[dict[str, Any]]
    sessionId: NotRequired[str]
    userId: NotRequired[str]
    tags: NotRequired[list[str]]
    dataset: NotRequired[str]
    run: NotRequired[str]
    itemId: NotRequired[str]
    spans: NotRequired[list[NewSpan]]


class NewTrialVariant(TypedDict):
    name: NotRequired[str]
    target: TrialTarget


class NewestRun(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    datasetName: str
    traceCount: int
    createdAt: Timestamp
    rated: int
    unrated: int
    openDisagreements: int
    isToBeRated: bool
    isEvaluated: bool


class NotComparedEvaluate(TypedDict):
    runId: Id
    evaluationId: Id


class NotCompared(TypedDict):
    name: str
    reason: str
    evaluate: NotComparedEvaluate | None


class Observation(TypedDict):
    id: int
    experimentId: Id
    idx: int
    expected: str
    variables: dict[str, Any]
    split: Literal["train", "eval"]
    createdAt: Timestamp
    updatedAt: Timestamp


class OnboardingEndpoints(TypedDict):
    http: str
    grpc: str | None


class OnboardingRejectedKeys(TypedDict):
    since: Timestamp
    includesUnknown: bool
    total: int
    data: list[RejectedKey]


class Onboarding(TypedDict):
    endpoints: OnboardingEndpoints
    firstTrace: ArrivedTrace | None
    newestTrace: ArrivedTrace | None
    keys: list[ApiKey]
    rejectedKeys: OnboardingRejectedKeys
    exampleDataLoaded: bool


class OverviewEvaluationDataset(TypedDict):
    id: Id
    name: str


class OverviewEvaluationScores(TypedDict):
    total: int
    done: int
    failed: int


class OverviewEvaluation(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    dataset: OverviewEvaluationDataset
    run: OverviewRun | None
    scores: OverviewEvaluationScores
    createdAt: Timestamp
    completedAt: str | None


class OverviewInsight(TypedDict):
    type: str
    severity: str
    title: str
    description: str
    frequency: float
    affectedTraces: int | None


class OverviewMetric(TypedDict):
    name: str
    evaluationId: Id
    mean: float | None
    ci: list[float] | None
    n: int
    cases: int
    failed: int
    kind: str | None
    scale: list[float] | None
    higherIsBetter: bool
    summary: str | None


class OverviewRun(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    datasetName: str
    traceCount: int
    createdAt: Timestamp


class PasswordResetLinkGrants(TypedDict):
    apiKeys: int
    invitations: int
    sharedLinks: int


class PasswordResetLink(TypedDict):
    email: str
    grants: PasswordResetLinkGrants
    revokesGrants: bool


class Preference(TypedDict):
    itemId: Id
    better: Literal["baseline", "candidate", "same"]
    shownLeft: Literal["baseline", "candidate"]
    isSideDrawn: bool
    repetition: int
    userId: Id
    updatedAt: Timestamp


class PreferenceList(TypedDict):
    result: PreferenceResult | None
    withheld: str | None
    data: list[Preference]


class PreferenceResultLeft(TypedDict):
    chosen: int
    n: int


class PreferenceResultSides(TypedDict):
    baselineLeft: int
    candidateLeft: int
    drawn: int
    n: int


class PreferenceResult(TypedDict):
    items: int
    candidate: int
    baseline: int
    same: int
    share: float | None
    ci: list[float] | None
    p: float | None
    verdict: Literal["improved", "regressed", "equivalent", "noClearDifference", "tooFewCases"] | None
    method: str
    preferences: int
    raters: int
    left: PreferenceResultLeft
    sides: PreferenceResultSides
    summary: str


Preferences: TypeAlias = "dict[str, Any]"


class PreviewCase(TypedDict):
    itemId: str | None
    traceDbId: str | None
    input: str | None
    output: str | None
    expected: str | None
    scores: list[PreviewScore]


class PreviewScore(TypedDict):
    evaluator: str
    state: Literal["scored", "failed", "skipped"]
    score: float | None
    label: str | None
    passed: bool | None
    reason: str | None
    error: str | None
    durationMs: int
    costUsd: float | None


class Price(TypedDict):
    id: Id
    modelPattern: str
    provider: str | None
    inputPerMillion: float
    outputPerMillion: float
    cacheReadPerMillion: float | None
    cacheWritePerMillion: float | None
    validFrom: str | None
    validUntil: str | None
    createdAt: Timestamp


class Prompt(TypedDict):
    id: Id
    name: str
    description: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


class PromptAuthor(TypedDict):
    id: Id
    name: str | None


class PromptChangePrompt(TypedDict):
    id: Id
    name: str


class PromptChange(TypedDict):
    kind: Literal["saved", "moved", "rolledBack", "deleted"]
    at: Timestamp
    user: PromptAuthor
    prompt: PromptChangePrompt
    note: str | None
    version: int | None
    isDeleted: bool
    label: str | None
    change: int | None
    undoes: int | None
    before: PromptSplits | None
    after: PromptSplits | None
    evidence: list[DeploymentEvidence]


class PromptChanges(TypedDict):
    data: list[PromptChange]
    nextCursor: str | None


class PromptContent(TypedDict):
    messages: list[PromptMessage]
    provider: str | None
    model: str | None
    parameters: dict[str, Any]
    tools: list[dict[str, Any]]
    responseFormat: dict[str, Any] | None


PromptDiffMessagesItem = TypedDict(
    "PromptDiffMessagesItem",
    {
        "change": "Literal['same', 'changed', 'removed', 'added']",
        "from": "int | None",
        "to": "int | None",
        "before": "PromptMessage | None",
        "after": "PromptMessage | None",
        "hunks": "list[PromptHunk]",
    },
)


class PromptDiffParametersItem(TypedDict):
    name: str
    before: Any
    after: Any


class PromptDiffVariables(TypedDict):
    added: list[str]
    removed: list[str]


class PromptDiffPlaceholders(TypedDict):
    added: list[str]
    removed: list[str]


PromptDiff = TypedDict(
    "PromptDiff",
    {
        "from": "int",
        "to": "int",
        "messages": "list[PromptDiffMessagesItem]",
        "parameters": "list[PromptDiffParametersItem]",
        "variables": "PromptDiffVariables",
        "placeholders": "PromptDiffPlaceholders",
    },
)


class PromptHunk(TypedDict):
    change: Literal["same", "removed", "added"]
    text: str


class PromptLabel(TypedDict):
    name: str
    change: int
    seed: int
    splits: list[PromptSplit]
    protection: PromptLabelProtection
    changedBy: Id
    changedAt: Timestamp


class PromptLabelChangeBefore(TypedDict):
    seed: int
    splits: list[PromptSplit]


class PromptLabelChangeAfter(TypedDict):
    seed: int
    splits: list[PromptSplit]


class PromptLabelChange(TypedDict):
    change: int
    kind: Literal["moved", "rolledBack", "deleted"]
    undoes: int | None
    before: PromptLabelChangeBefore | None
    after: PromptLabelChangeAfter | None
    note: str | None
    evidence: list[DeploymentEvidence]
    changedBy: Id
    changedAt: Timestamp


class PromptLabelEvidenceForm(TypedDict):
    decisionId: Id


class PromptLabelEvidenceForm2Comparison(TypedDict):
    baselineRunId: Id
    candidateRunId: Id


class PromptLabelEvidenceForm2(TypedDict):
    comparison: PromptLabelEvidenceForm2Comparison


PromptLabelEvidence: TypeAlias = "PromptLabelEvidenceForm | PromptLabelEvidenceForm2"


class PromptLabelGate(TypedDict):
    datasetId: Id
    metric: str
    margin: float
    maxAgeDays: int


class PromptLabelProtection(TypedDict):
    minRole: Literal["editor", "admin"]
    gate: PromptLabelGate | None


class PromptLivePeriod(TypedDict):
    label: str
    change: int
    splits: list[PromptSplit]
    since: Timestamp
    until: str | None
    evidence: list[DeploymentEvidence]
    changedBy: Id


class PromptMessageForm(TypedDict):
    role: Literal["system", "developer", "user", "assistant"]
    content: str


class PromptMessageForm2(TypedDict):
    placeholder: str


PromptMessage: TypeAlias = "PromptMessageForm | PromptMessageForm2"


class PromptSplit(TypedDict):
    version: int
    weight: int


class PromptSplitsItem(TypedDict):
    version: int
    weight: int


PromptSplits: TypeAlias = "list[PromptSplitsItem]"


PromptSummaries = TypedDict(
    "PromptSummaries",
    {
        "from": "Timestamp",
        "to": "Timestamp",
        "bucketSeconds": "int",
        "metric": "str",
        "metrics": "list[str]",
        "scale": "list[float] | None",
        "higherIsBetter": "bool",
        "data": "list[PromptSummary]",
        "unknownPrompts": "list[UnknownPrompt]",
        "nextCursor": "str | None",
    },
)


class PromptSummaryNewest(TypedDict):
    number: int
    note: str | None
    user: PromptAuthor
    createdAt: Timestamp


class PromptSummarySeriesItem(TypedDict):
    start: Timestamp
    count: int


class PromptSummaryRate(TypedDict):
    mean: float | None
    ci: list[float] | None
    n: int
    summary: str | None


class PromptSummaryCost(TypedDict):
    mean: float | None
    n: int


class PromptSummarySources(TypedDict):
    network: int
    memory: int
    disk: int
    fallback: int
    unknown: int


class PromptSummaryMissingLabelsItem(TypedDict):
    label: str
    traces: int
    lastUsedAt: Timestamp


class PromptSummary(TypedDict):
    id: Id
    name: str
    description: str | None
    createdAt: Timestamp
    updatedAt: Timestamp
    labels: list[PromptLabel]
    newest: PromptSummaryNewest | None
    traces: int
    series: list[PromptSummarySeriesItem]
    rate: PromptSummaryRate
    cost: PromptSummaryCost
    sources: PromptSummarySources
    lastUsedAt: str | None
    withoutVersion: int
    unknownVersions: int
    missingLabels: list[PromptSummaryMissingLabelsItem]
    versions: list[PromptVersionSummary]
    hasMoreVersions: bool


class PromptToolAnswer(TypedDict):
    toolCallId: str
    content: str


class PromptToolCall(TypedDict):
    id: str
    name: str
    arguments: str


class PromptVersionSource(TypedDict):
    kind: Literal["person", "experiment"]
    id: str | None


class PromptVersion(TypedDict):
    promptId: Id
    number: int
    hash: str
    variables: list[str]
    placeholders: list[str]
    labels: list[str]
    source: PromptVersionSource
    createdBy: Id
    createdAt: Timestamp
    note: str | None
    content: PromptContent


class PromptVersionRowSource(TypedDict):
    kind: Literal["person", "experiment"]
    id: str | None


class PromptVersionRow(TypedDict):
    promptId: Id
    number: int
    hash: str
    variables: list[str]
    placeholders: list[str]
    labels: list[str]
    source: PromptVersionRowSource
    createdBy: Id
    createdAt: Timestamp
    note: str | None


class PromptVersionSummarySeriesItem(TypedDict):
    start: Timestamp
    count: int


class PromptVersionSummaryRate(TypedDict):
    mean: float | None
    ci: list[float] | None
    n: int
    summary: str | None


class PromptVersionSummaryCost(TypedDict):
    mean: float | None
    n: int


class PromptVersionSummarySources(TypedDict):
    network: int
    memory: int
    disk: int
    fallback: int
    unknown: int


class PromptVersionSummaryLiveItem(TypedDict):
    label: str
    weight: int
    since: Timestamp
    until: str | None


class PromptVersionSummary(TypedDict):
    number: int
    note: str | None
    user: PromptAuthor
    createdAt: Timestamp
    isDeleted: bool
    traces: int
    series: list[PromptVersionSummarySeriesItem]
    rate: PromptVersionSummaryRate
    cost: PromptVersionSummaryCost
    sources: PromptVersionSummarySources
    lastUsedAt: str | None
    live: list[PromptVersionSummaryLiveItem]


class PrompticDeployment(TypedDict):
    aiComponentId: Id
    experimentId: Id
    experiment: PrompticExperiment


class PrompticEvaluator(TypedDict):
    id: Id
    experimentId: Id
    name: str
    description: str | None
    type: str
    scaleMin: float
    scaleMax: float
    weight: float
    config: dict[str, Any] | None
    createdAt: Timestamp
    updatedAt: Timestamp


class PrompticExperimentInitialPromptMessagesItem(TypedDict):
    role: str
    content: str


class PrompticExperimentInputVariablesItem(TypedDict):
    name: str
    column: str


class PrompticExperiment(TypedDict):
    id: Id
    datasetId: Id
    name: str | None
    description: str | None
    targetModel: str
    provider: str
    aiComponentId: Id
    customProviderId: str | None
    createdByUser: str | None
    experimentStatus: Literal["pending", "scheduled", "running", "completed", "failed"]
    taskType: Literal["classification", "textGeneration", "structuredOutput", "toolSelection"]
    optimizer: str
    tokensUsed: float
    promptFormat: Literal["single", "multi_message"]
    initialPromptMessages: list[PrompticExperimentInitialPromptMessagesItem]
    initialPromptTokens: int | None
    initialPredictionModelSchema: dict[str, Any] | None
    runNumber: int | None
    hyperparameters: PrompticHyperparameters
    startedAt: str | None
    endedAt: str | None
    retries: int
    errorCode: str | None
    errorMessage: str | None
    createdAt: Timestamp
    updatedAt: Timestamp
    inputVariables: NotRequired[list[PrompticExperimentInputVariablesItem]]
    systemPrompt: NotRequired[str | None]
    optimizeSystemPrompt: NotRequired[bool]
    optimizedSystemPrompt: NotRequired[str | None]


class PrompticHyperparameters(TypedDict):
    epochs: NotRequired[int]
    trainSplitRatio: NotRequired[float]
    numFewShots: NotRequired[int]
    enableCot: NotRequired[bool]


class PrompticIteration(TypedDict):
    id: int
    experimentId: Id
    iterationNumber: int
    prompt: str
    promptTokens: int | None
    overallNormalizedScore: float
    evalNormalizedScore: float | None
    schemaSnapshot: dict[str, Any] | None
    createdAt: Timestamp
    updatedAt: Timestamp
    avgPredictionLatencyMs: NotRequired[int | None]
    toolDescriptions: NotRequired[dict[str, Any]]
    selectionSystemPrompt: NotRequired[str | None]


class PrompticScore(TypedDict):
    iterationId: int
    score: float
    rawScore: float
    evaluatorId: Id
    evaluatorName: str
    evaluatorDescription: str | None
    evaluatorType: str


class QueueRatingsItem(TypedDict):
    value: str
    label: str | None


class Queue(TypedDict):
    item: QueueItem | None
    remaining: int
    rated: int
    total: int
    order: Literal["random", "information", "calibration"]
    leaseUntil: str | None
    blind: bool
    ratings: list[QueueRatingsItem]
    summary: str
    calibration: NotRequired[QueueCalibration | None]


class QueueBatch(TypedDict):
    items: list[QueueBatchItem]
    remaining: int
    rated: int
    total: int
    skipped: int
    order: Literal["random", "information", "calibration"]
    blind: bool
    ratings: list[RatingChoice]
    summary: str
    calibration: NotRequired[QueueCalibration | None]


class QueueBatchItem(TypedDict):
    traceDbId: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    itemId: str | None
    comment: str | None
    leaseUntil: str | None
    input: NotRequired[str | None]
    output: NotRequired[str | None]
    expected: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any]]
    itemMetadata: NotRequired[dict[str, Any] | None]


class QueueCalibration(TypedDict):
    evaluator: str
    labels: int | None
    precision: float
    ratingsNeeded: int | None
    summary: str


class QueueItem(TypedDict):
    traceDbId: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    itemId: str | None
    input: str | None
    output: str | None
    expected: str | None
    comment: str | None


class QuotaUse(TypedDict):
    used: int
    limit: int | None


class RatedRun(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    datasetName: str
    traceCount: int
    createdAt: Timestamp
    rated: int
    unrated: int
    openDisagreements: int
    isToBeRated: bool


class Rater(TypedDict):
    userId: str
    name: str | None
    count: int


class RaterPair(TypedDict):
    a: str
    b: str
    shared: int
    kappa: float | None
    ci: list[float] | None
    method: str


class Rating(TypedDict):
    value: str
    score: float
    label: str | None
    color: Literal["red", "orange", "gold", "green", "teal", "blue", "purple", "gray", None]
    key: Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", None]


class RatingChoice(TypedDict):
    value: str
    label: str | None
    score: float | None
    color: Literal["red", "orange", "gold", "green", "teal", "blue", "purple", "gray", None]
    key: Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", None]


class RatingConsensusCategoriesItem(TypedDict):
    rating: str
    share: float
    votes: float


class RatingConsensusRatersItem(TypedDict):
    userId: str
    accuracy: float


class RatingConsensus(TypedDict):
    categories: list[RatingConsensusCategoriesItem]
    raters: list[RatingConsensusRatersItem]
    method: str


class RatingScheme(TypedDict):
    ratings: list[Rating]
    ordered: bool


class RecordDecision(TypedDict):
    baselineRunId: Id
    candidateRunId: Id
    decision: Literal["release", "hold", "undecided"]
    note: NotRequired[str]
    metric: NotRequired[str]
    margin: NotRequired[float]
    split: NotRequired[Literal["train", "validation", "test"]]


class RejectedKey(TypedDict):
    reason: Literal["unknown", "malformed", "expired", "revoked", "role", "second-factor"]
    endsWith: str | None
    keyName: str | None
    revokedBy: str | None
    revokedByName: str | None
    revokedAt: str | None
    count: int
    firstAt: Timestamp
    lastAt: Timestamp
    address: str
    userAgent: str | None


class RenderedMessage(TypedDict):
    role: str
    content: str


class RenderedPrompt(TypedDict):
    messages: list[RenderedMessage]
    unused: list[str]


class RepetitionEstimate(TypedDict):
    repetitions: int
    calls: int
    expectedUsd: float | None
    detectableDifference: float | None


class RepetitionSpread(TypedDict):
    evaluator: str
    n: int
    mean: float | None
    min: float | None
    max: float | None
    passed: int | None


class Resolution(TypedDict):
    rating: str
    note: str | None
    userId: str
    name: str | None
    resolvedAt: Timestamp


class ResolvableDisagreementRatingsItem(TypedDict):
    userId: str
    name: str | None
    rating: str
    comment: str | None


class ResolvableDisagreement(TypedDict):
    traceDbId: str
    steps: int | None
    ratings: list[ResolvableDisagreementRatingsItem]
    resolution: Resolution | None
    trace: AnnotatedTrace | None


class Retention(TypedDict):
    days: int | None
    state: Literal["idle", "clearing"]
    tracesDeleted: int
    tracesLeft: int
    startedAt: str | None
    finishedAt: str | None


class RetiredModel(TypedDict):
    provider: str
    model: str
    on: str
    daysLeft: int
    summary: str


Role: TypeAlias = "Literal['viewer', 'annotator', 'editor', 'admin', 'owner']"


class RowCounts(TypedDict):
    regressed: int
    improved: int
    tie: int
    only_baseline: int
    only_candidate: int
    failed: int
    not_measured: int


class Run(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    aiComponentId: Id
    traceCount: int
    createdAt: Timestamp


class RunCaseRatingsItem(TypedDict):
    userId: str
    rating: str


class RunCase(TypedDict):
    traceId: str
    traceDbId: str | None
    status: str | None
    durationMs: int | None
    costUsd: float | None
    totalTokens: int | None
    output: str | None
    ratings: list[RunCaseRatingsItem]
    scores: list[RunCaseScore]


class RunCaseCounts(TypedDict):
    all: int
    failed: int
    rated: int
    unrated: int
    passed: int
    not_passed: int
    not_measured: int
    not_arrived: int
    without_item: int


class RunCaseRow(TypedDict):
    id: str
    itemId: str | None
    input: str | None
    expected: str | None
    repetitions: int
    cases: list[RunCase]
    spread: list[RepetitionSpread]


class RunCaseScore(TypedDict):
    evaluator: str
    state: Literal["queued", "running", "retrying", "scored", "failed", "skipped"]
    score: float | None
    label: str | None
    passed: bool | None
    repetitions: int
    reason: str | None


class RunCases(TypedDict):
    data: list[RunCaseRow]
    nextCursor: str | None
    total: int
    traces: int
    counts: RunCaseCounts
    evaluation: EvaluatedMetrics | None
    metric: str | None
    itemsAreComplete: bool


class RunColumnRun(TypedDict):
    id: Id
    name: str | None
    createdAt: Timestamp


class RunColumn(TypedDict):
    run: RunColumnRun
    evaluationId: Id
    metrics: list[OverviewMetric]
    headline: str | None


class RunMetadata(TypedDict):
    metadata: dict[str, str | float | bool]


class RunPrompt(TypedDict):
    name: str
    traces: int


class RunSummaries(TypedDict):
    data: list[RunSummary]
    nextCursor: str | None


class RunSummaryTracesCost(TypedDict):
    usd: float | None
    unknown: int


class RunSummaryTraces(TypedDict):
    arrived: int
    errors: int
    cost: RunSummaryTracesCost


class RunSummary(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    datasetName: str
    traceCount: int
    createdAt: Timestamp
    rated: int
    unrated: int
    openDisagreements: int
    isToBeRated: bool
    metadata: dict[str, Any]
    traces: RunSummaryTraces | None
    newestEvaluation: OverviewEvaluation | None
    results: EvaluatedMetrics | None
    comparison: ComparisonSummary | None


class RunToRate(TypedDict):
    id: Id
    name: str | None
    datasetId: Id
    datasetName: str
    traceCount: int
    createdAt: Timestamp
    rated: int
    remaining: int
    openDisagreements: int


class RunTrace(TypedDict):
    id: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    itemId: str | None


class SavePreference(TypedDict):
    baseline: Id
    candidate: Id
    itemId: Id
    better: Literal["baseline", "candidate", "same"]
    shownLeft: NotRequired[Literal["baseline", "candidate"]]
    repetition: NotRequired[int]


class SavedIteration(TypedDict):
    promptId: Id
    version: int


class SchemaCheckMissesItem(TypedDict):
    path: str
    message: str


class SchemaCheck(TypedDict):
    valid: bool
    misses: list[SchemaCheckMissesItem]


class Score(TypedDict):
    itemId: str | None
    traceDbId: str | None
    evaluator: str
    repetition: int
    state: Literal["queued", "running", "retrying", "scored", "failed", "skipped"]
    score: float | None
    label: str | None
    passed: bool | None
    reason: str | None
    error: str | None
    attempts: int
    details: dict[str, Any] | None
    costUsd: float | None


class ScoreGroupExample(TypedDict):
    caseId: str
    error: str
    attempts: int


class ScoreGroup(TypedDict):
    evaluator: str
    state: Literal["queued", "running", "retrying", "scored", "failed", "skipped"]
    error: str | None
    score: float | None
    label: str | None
    passed: bool | None
    count: int
    example: ScoreGroupExample | None


class ScoreSummary(TypedDict):
    data: list[ScoreGroup]
    others: int


class ScoredPrompticIteration(TypedDict):
    id: int
    experimentId: Id
    iterationNumber: int
    prompt: str
    promptTokens: int | None
    overallNormalizedScore: float
    evalNormalizedScore: float | None
    schemaSnapshot: dict[str, Any] | None
    createdAt: Timestamp
    updatedAt: Timestamp
    avgPredictionLatencyMs: NotRequired[int | None]
    toolDescriptions: NotRequired[dict[str, Any]]
    selectionSystemPrompt: NotRequired[str | None]
    scores: list[PrompticScore]


class SecuritySettings(TypedDict):
    requiresSecondFactor: bool
    membersWithoutSecondFactor: int


class SeriesBucket(TypedDict):
    start: Timestamp
    count: int
    errors: int
    p50Ms: float | None
    p95Ms: float | None
    tokens: int
    costUsd: float


class ServedPromptSplitsItem(TypedDict):
    weight: int
    version: PromptVersion


class ServedPrompt(TypedDict):
    name: str
    label: str
    promptId: Id
    change: int
    seed: int
    splits: list[ServedPromptSplitsItem]


class ShareOfTrafficDetectableItem(TypedDict):
    days: int
    difference: float


class ShareOfTraffic(TypedDict):
    weight: int
    tracesPerDay: float
    othersPerDay: float
    detectable: list[ShareOfTrafficDetectableItem]
    daysForMargin: int | None
    summary: str


class SharedLinkAuthor(TypedDict):
    userId: Id
    name: str | None


class SharedLink(TypedDict):
    id: Id
    author: SharedLinkAuthor
    createdAt: Timestamp
    expiresAt: Timestamp
    revokedAt: str | None
    openedAt: str | None
    openedCount: int


class Sharing(TypedDict):
    linksAllowed: bool
    activeLinks: int


class ShortenedText(TypedDict):
    text: str
    isCut: bool


class SimilarItems(TypedDict):
    id: Id
    similarTo: Id
    similarity: float


class Span(TypedDict):
    id: Id
    spanId: str
    traceId: str
    traceDbId: Id
    parentSpanId: str | None
    name: str
    kind: Literal["llm", "embedding", "retriever", "reranker", "tool", "agent", "chain", "guardrail", "evaluator", "prompt", "span"]
    startTime: Timestamp
    endTime: str | None
    durationMs: float | None
    status: Literal["ok", "error"]
    statusMessage: str | None
    input: str | None
    output: str | None
    messages: list[Message] | None
    metadata: dict[str, Any]
    model: str | None
    provider: str | None
    inputTokens: int | None
    outputTokens: int | None
    totalTokens: int | None
    costUsd: float | None
    costBasis: str | None
    modelParameters: dict[str, Any]
    createdAt: Timestamp
    events: list[SpanEvent]


class SpanEvent(TypedDict):
    id: Id
    spanDbId: Id
    name: str
    timestamp: Timestamp
    body: dict[str, Any]


class SpanMatchMatchesItem(TypedDict):
    field: Literal["name", "statusMessage", "input", "output"]
    excerpt: str


class SpanMatch(TypedDict):
    spanId: str
    matches: list[SpanMatchMatchesItem]


class SpendingDaysItem(TypedDict):
    day: str
    usd: float


class Spending(TypedDict):
    maxUsdPerDay: float | None
    maxUsdPer30Days: float | None
    today: SpendingPeriod
    last30Days: SpendingPeriod
    days: list[SpendingDaysItem]
    reached: str | None


class SpendingOfKind(TypedDict):
    kind: Literal["judges", "playground", "trials", "experiments"]
    usd: float
    calls: int
    unpricedCalls: int


class SpendingPeriod(TypedDict):
    since: Timestamp
    usd: float
    calls: int
    unpricedCalls: int
    reservedUsd: float
    kinds: list[SpendingOfKind]


class StartedEvaluation(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]


class SummarizedAgreement(TypedDict):
    raters: list[Rater]
    categories: list[str]
    items: int
    excluded: int
    pairs: list[SummarizedRaterPair]
    alpha: Alpha
    disagreements: list[Disagreement]
    disagreementsTotal: int
    judges: list[JudgeAgreement]
    summary: str
    consensus: NotRequired[RatingConsensus | None]


class SummarizedRaterPair(TypedDict):
    a: str
    b: str
    shared: int
    kappa: float | None
    ci: list[float] | None
    method: str
    summary: str


class TestOpening(TypedDict):
    evaluationId: str | None
    trialId: str | None
    runIds: list[Id]
    openedAt: Timestamp


class TestSet(TypedDict):
    openings: int
    summary: str


class TestSplit(TypedDict):
    items: int
    openings: int
    earlierOpenings: int
    drawnAt: str | None
    fresh: int
    mayDraw: bool
    summary: str


class TestTrace(TypedDict):
    id: Id
    traceId: str


class TextPreview(TypedDict):
    text: str
    length: int


Timestamp: TypeAlias = "str"


class TokenUsage(TypedDict):
    inputTokens: int | None
    outputTokens: int | None
    cachedTokens: int | None
    cacheWriteTokens: int | None
    reasoningTokens: int | None


class ToolDescription(TypedDict):
    name: str
    description: str


class ToolDescriptionChange(TypedDict):
    name: str
    before: str | None
    after: str


class ToolOfSelection(TypedDict):
    name: str
    description: str
    inputSchema: NotRequired[dict[str, Any] | None]


class ToolTestCase(TypedDict):
    query: str
    expectedTool: str


class Trace(TypedDict):
    id: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    workspaceId: Id
    sessionId: str | None
    userId: str | None
    input: str | None
    output: str | None
    metadata: dict[str, Any]
    tags: list[str]
    createdAt: Timestamp
    spans: list[Span]
    nextSpansOffset: NotRequired[int]


class TraceAnnotation(TypedDict):
    traceDbId: Id
    userId: str
    id: str | None
    rating: str | None
    comment: str | None
    correctedOutput: str | None
    createdAt: str | None
    updatedAt: str | None


class TraceComment(TypedDict):
    id: Id
    traceDbId: Id
    spanId: str | None
    userId: str
    name: str | None
    text: str
    createdAt: Timestamp
    updatedAt: Timestamp


class TraceItemLink(TypedDict):
    aiComponentId: Id
    componentName: str
    datasetId: Id
    datasetName: str
    itemId: Id
    itemNumber: int | None


class TraceLinksHasMore(TypedDict):
    runs: bool
    items: bool
    scores: bool


class TraceLinks(TypedDict):
    runs: list[TraceRunLink]
    items: list[TraceItemLink]
    scores: list[TraceScoreLink]
    source: Literal["production", "trial", "experiment", "playground", "run"]
    prompts: list[TracePromptLink]
    hasMore: TraceLinksHasMore


class TraceNumbersErrorRate(TypedDict):
    rate: float | None
    ci: list[float] | None
    n: int


class TraceNumbersP95(TypedDict):
    ms: float | None
    ci: list[float] | None
    n: int


class TraceNumbersCost(TypedDict):
    usd: float | None
    known: Literal["all", "some", "none"]
    unknown: int | None


class TraceNumbersSeriesItem(TypedDict):
    start: Timestamp
    count: int
    errors: int


class TraceNumbers(TypedDict):
    counted: Literal["production", "all"]
    others: int
    count: int
    errors: int
    errorRate: TraceNumbersErrorRate
    p95: TraceNumbersP95
    cost: TraceNumbersCost
    isSampled: bool
    series: list[TraceNumbersSeriesItem]


class TraceNumbersWithCostErrorRate(TypedDict):
    rate: float | None
    ci: list[float] | None
    n: int


class TraceNumbersWithCostP95(TypedDict):
    ms: float | None
    ci: list[float] | None
    n: int


class TraceNumbersWithCostCost(TypedDict):
    usd: float | None
    known: Literal["all", "some", "none"]
    unknown: int | None


class TraceNumbersWithCostSeriesItem(TypedDict):
    start: Timestamp
    count: int
    errors: int


class TraceNumbersWithCostCostPerTrace(TypedDict):
    mean: float | None
    ci: list[float] | None
    n: int


class TraceNumbersWithCost(TypedDict):
    counted: Literal["production", "all"]
    others: int
    count: int
    errors: int
    errorRate: TraceNumbersWithCostErrorRate
    p95: TraceNumbersWithCostP95
    cost: TraceNumbersWithCostCost
    isSampled: bool
    series: list[TraceNumbersWithCostSeriesItem]
    costPerTrace: TraceNumbersWithCostCostPerTrace


class TraceOutlineLabelsItem(TypedDict):
    kind: Literal["llm", "embedding", "retriever", "reranker", "tool", "agent", "chain", "guardrail", "evaluator", "prompt", "span"]
    name: str


class TraceOutline(TypedDict):
    startTime: Timestamp
    total: int
    labels: list[TraceOutlineLabelsItem]
    spanIds: list[str]
    parents: list[int | None]
    labelOf: list[int]
    startGapsMs: list[float]
    durationsMs: list[float | None]
    errors: list[int]
    totalTokens: list[int | None]
    costsUsd: list[float | None]


class TracePreview(TypedDict):
    input: str | None
    output: str | None


class TracePrompt(TypedDict):
    name: str
    label: str | None
    source: Literal["network", "memory", "disk", "fallback", None]


class TracePromptLink(TypedDict):
    name: str
    label: str | None
    source: Literal["network", "memory", "disk", "fallback", None]
    promptId: str | None
    version: int | None


class TraceRow(TypedDict):
    id: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None
    createdAt: str
    sessionId: str | None
    userId: str | None
    service: str | None
    environment: str | None
    source: Literal["production", "trial", "experiment", "playground", "run"]
    prompts: list[TracePrompt]
    tags: list[str]
    spanCount: int
    errorCount: int
    models: list[str]
    costBasis: str | None
    hasAllModels: bool
    preview: NotRequired[TracePreview | None]
    ratings: NotRequired[list[VisibleRating]]
    scores: NotRequired[list[TraceScore]]


class TraceRowList(TypedDict):
    data: list[TraceRow]
    nextCursor: str | None
    total: int
    totalIsExact: bool
    sortIsComplete: bool
    searchedSince: str | None


class TraceRunLink(TypedDict):
    aiComponentId: Id
    componentName: str
    datasetId: Id
    datasetName: str
    runId: Id
    runName: str | None
    createdAt: Timestamp
    traceCount: int
    caseNumber: int | None
    itemId: str | None


class TraceScore(TypedDict):
    evaluationId: Id
    evaluator: str
    score: float | None
    label: str | None
    passed: bool | None
    repetitions: int


class TraceScoreLink(TypedDict):
    aiComponentId: Id
    componentName: str
    datasetId: Id
    datasetName: str
    evaluationId: Id
    evaluationName: str | None
    createdAt: Timestamp
    runId: str | None
    runName: str | None
    evaluator: str
    repetition: int
    score: float | None
    label: str | None
    passed: bool | None
    reason: str | None


class TraceSeriesSeriesItem(TypedDict):
    kind: Literal["all", "value", "others"]
    value: str | None
    label: str | None
    buckets: list[SeriesBucket]


TraceSeries = TypedDict(
    "TraceSeries",
    {
        "from": "Timestamp",
        "to": "Timestamp",
        "bucketSeconds": "int",
        "completeFrom": "str",
        "durationsAreSampled": "bool",
        "series": "list[TraceSeriesSeriesItem]",
    },
)


class TraceSettings(TypedDict):
    createsComponents: bool


class TraceStats(TypedDict):
    totalTraces: int
    totalTokens: int
    totalCostUsd: float
    errorRate: float


class TraceSummary(TypedDict):
    id: Id
    traceId: str
    name: str | None
    status: Literal["ok", "error"]
    aiComponentId: str | None
    componentName: str | None
    durationMs: int | None
    totalTokens: int | None
    totalCostUsd: float | None
    startTime: Timestamp
    endTime: str | None


class TraceTokens(TypedDict):
    input: int | None
    cacheRead: int | None
    cacheWrite: int | None
    output: int | None
    reasoning: int | None


class TracesFromQuery(TypedDict):
    q: str
    limit: NotRequired[int]


class TracesFromQueryResult(TypedDict):
    added: int
    skipped: int
    run: Run


class TrendBucketErrorRate(TypedDict):
    rate: float | None
    ci: list[float] | None
    n: int


class TrendBucketP50(TypedDict):
    ms: float | None
    ci: list[float] | None
    n: int


class TrendBucketP95(TypedDict):
    ms: float | None
    ci: list[float] | None
    n: int


class TrendBucketCost(TypedDict):
    usd: float | None
    known: Literal["all", "some", "none"]
    unknown: int | None


class TrendBucketCostPerTrace(TypedDict):
    mean: float | None
    ci: list[float] | None
    n: int


class TrendBucket(TypedDict):
    start: Timestamp
    count: int
    errors: int
    errorRate: TrendBucketErrorRate
    p50: TrendBucketP50
    p95: TrendBucketP95
    cost: TrendBucketCost
    costPerTrace: TrendBucketCostPerTrace


class TrendEvaluationDataset(TypedDict):
    id: Id
    name: str


class TrendEvaluationScores(TypedDict):
    total: int
    done: int
    failed: int


class TrendEvaluation(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    dataset: TrendEvaluationDataset
    run: OverviewRun | None
    scores: TrendEvaluationScores
    createdAt: Timestamp
    completedAt: str | None
    metrics: list[TrendMetric]
    headline: str | None
    items: int


class TrendMetric(TypedDict):
    name: str
    evaluationId: Id
    mean: float | None
    ci: list[float] | None
    n: int
    cases: int
    failed: int
    kind: str | None
    scale: list[float] | None
    higherIsBetter: bool
    summary: str | None
    settingsKey: str


class Trial(TypedDict):
    id: Id
    name: str | None
    status: Literal["pending", "running", "completed", "failed"]
    endedBy: Literal["done", "decided", "futile", "budget", "time", "canceled", None]
    datasetId: Id
    calls: int
    createdAt: Timestamp


class TrialCall(TypedDict):
    id: int
    variant: str
    itemId: Id
    repetition: int
    state: Literal["queued", "running", "retrying", "done", "failed", "skipped"]
    attempt: int
    traceId: str | None
    costUsd: float
    durationMs: int | None
    reason: str | None
    retryable: bool


class TrialCheapest(TypedDict):
    variant: str | None
    summary: str


class TrialComparison(TypedDict):
    verdict: str
    summary: str
    difference: float | None
    ci: list[float] | None


class TrialDetailProgress(TypedDict):
    total: int
    done: int
    failed: int
    skipped: int


class TrialDetailCost(TypedDict):
    spentUsd: float
    maxUsd: float | None
    judgesUsd: float
    expectedAtEndUsd: float | None


class TrialDetail(TypedDict):
    id: Id
    name: str | None
    aiComponentId: Id
    datasetId: Id
    status: Literal["pending", "running", "completed", "failed"]
    endedBy: Literal["done", "decided", "futile", "budget", "time", "canceled", None]
    error: str | None
    canceledBy: str | None
    waitsBehind: int
    waiting: list[TrialWaiting]
    progress: TrialDetailProgress
    variants: list[TrialVariant]
    cost: TrialDetailCost
    ranking: TrialRanking | None
    cheapest: TrialCheapest | None
    front: list[TrialFrontVariant] | None
    looks: TrialLooks | None
    plan: TrialPlan
    endsAt: str | None
    startedAt: str | None
    completedAt: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


class TrialEstimateCost(TypedDict):
    minUsd: float | None
    expectedUsd: float | None
    maxUsd: float | None


class TrialEstimateJudges(TypedDict):
    calls: int
    expectedUsd: float | None
    unpricedModels: list[str]


class TrialEstimateGate(TypedDict):
    metric: str
    margin: float | None
    items: int
    itemsNeeded: int | None


class TrialEstimate(TypedDict):
    calls: int
    cost: TrialEstimateCost
    unpricedModels: list[str]
    judges: TrialEstimateJudges | None
    minutes: float | None
    callsPerMinute: float | None
    byItems: list[ItemsEstimate]
    byRepetitions: list[RepetitionEstimate]
    variants: list[VariantEstimate]
    variables: list[VariableExample]
    gate: TrialEstimateGate | None
    missing: list[MissingVariable]
    summary: str


class TrialFailure(TypedDict):
    variant: str
    reason: str
    retryable: bool
    calls: int


class TrialFrontVariantQuality(TypedDict):
    mean: float
    ci: list[float] | None


class TrialFrontVariant(TypedDict):
    variant: str
    quality: TrialFrontVariantQuality
    costUsd: float | None
    durationMs: float | None


class TrialGridModelsItem(TypedDict):
    provider: NotRequired[str]
    model: NotRequired[str]


class TrialGrid(TypedDict):
    promptId: Id
    versions: list[int]
    models: NotRequired[list[TrialGridModelsItem]]
    parameters: NotRequired[dict[str, list[Any]]]


class TrialLook(TypedDict):
    items: int
    takenAt: Timestamp
    variants: list[TrialLookVariant]
    leader: TrialLookLeader | None


class TrialLookLeaderExpectedOnNew(TypedDict):
    difference: float
    ci: list[float] | None


class TrialLookLeader(TypedDict):
    name: str
    difference: float
    expectedOnNew: TrialLookLeaderExpectedOnNew | None


class TrialLookVariant(TypedDict):
    name: str
    evidence: float
    threshold: float
    difference: float | None
    ci: list[float] | None


class TrialLooks(TypedDict):
    rule: Literal["sequential", "planned"]
    metric: str
    plannedItems: list[int]
    taken: list[TrialLook]


class TrialMatrixCounts(TypedDict):
    all: int
    worse: int | None
    better: int | None
    same: int | None
    unscored: int | None
    differ: int | None
    flips: int | None
    failed: int
    waiting: int


class TrialMatrix(TypedDict):
    metric: str | None
    scale: list[float] | None
    higherIsBetter: bool | None
    candidate: str | None
    data: list[TrialMatrixItem]
    nextCursor: str | None
    counts: TrialMatrixCounts | None
    compact: str | None


class TrialMatrixCell(TypedDict):
    callId: int
    variant: str
    repetition: int
    state: Literal["queued", "running", "retrying", "done", "failed", "skipped"]
    score: float | None
    traceId: str | None


class TrialMatrixItem(TypedDict):
    itemId: Id
    number: int
    change: Literal["better", "worse", "same", None]
    preview: str | None
    calls: list[TrialMatrixCell]


class TrialPlanSample(TypedDict):
    n: int
    seed: int


class TrialPlan(TypedDict):
    split: Literal["train", "validation", "test", None]
    sample: TrialPlanSample | None
    variables: dict[str, Any]
    baseline: str
    repetitions: int
    concurrency: int
    maxMinutes: int
    evaluation: dict[str, Any] | None
    stopEarly: bool
    plannedLooks: int | None


class TrialQuality(TypedDict):
    mean: float
    ci: list[float] | None
    items: int
    costUsd: float | None


class TrialRankingExpectedOnNew(TypedDict):
    difference: float
    ci: list[float] | None


class TrialRanking(TypedDict):
    best: str
    metric: str
    higherIsBetter: bool
    summary: str
    expectedOnNew: TrialRankingExpectedOnNew | None


class TrialTarget(TypedDict):
    type: Literal["prompt", "http", "worker", "recorded"]
    promptId: NotRequired[Id]
    version: NotRequired[int]
    provider: NotRequired[str]
    model: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    tools: NotRequired[Literal["record", "replay"]]
    endpoint: NotRequired[str]
    body: NotRequired[Any]
    output: NotRequired[str]
    queue: NotRequired[str]


class TrialVariantDurationMs(TypedDict):
    median: float
    ci: list[float] | None


class TrialVariant(TypedDict):
    name: str
    target: TrialTarget
    runId: Id
    evaluationId: str | None
    total: int
    done: int
    failed: int
    skipped: int
    costUsd: float
    judgesUsd: float
    durationMs: TrialVariantDurationMs | None
    endedBy: Literal["decided", "futile", None]
    reason: str | None
    quality: TrialQuality | None
    comparison: TrialComparison | None


class TrialWaiting(TypedDict):
    reason: Literal["turn", "retry", "worker", "evaluations"]
    variant: str | None
    calls: int
    until: str | None
    summary: str


class TriedMessageFormNative(TypedDict):
    kind: Literal["openai", "anthropic", "gemini"]
    content: list[Any]


class TriedMessageForm(TypedDict):
    role: Literal["assistant"]
    content: str
    toolCalls: list[PromptToolCall]
    native: TriedMessageFormNative | None


class TriedMessageForm2(TypedDict):
    role: Literal["tool"]
    toolCallId: str
    content: str


TriedMessage: TypeAlias = "TriedMessageForm | TriedMessageForm2"


class TryEnd(TypedDict):
    reason: Literal["answered", "toolCalls", "cutOff", "refused", "failed"]
    error: str | None
    isTransient: bool
    retryAfterSeconds: int | None
    text: str
    toolCalls: list[PromptToolCall]
    conversation: list[TriedMessage] | None
    schema: SchemaCheck | None
    model: str
    calls: int
    usage: TokenUsage
    costUsd: float | None
    costBasis: str | None
    isCostMaximum: bool
    durationMs: int
    firstTextMs: int | None
    traceId: str | None
    notices: list[str]


class TryStart(TypedDict):
    provider: str
    model: str
    maxTokens: int
    toolAnswers: Literal["recorded", "ask", "none"]
    notices: list[str]


class TryText(TypedDict):
    call: int
    text: str


class TryToolCall(TypedDict):
    call: int
    toolCall: PromptToolCall
    answer: str | None


class TryWaiting(TypedDict):
    summary: str


class UndoneAnnotation(TypedDict):
    traceDbId: str | None
    annotation: Annotation | None


class UndoneImportKept(TypedDict):
    changed: int
    used: int


class UndoneImport(TypedDict):
    importId: Id
    dryRun: bool
    removed: int
    kept: UndoneImportKept


class UnknownComponent(TypedDict):
    name: str
    traceCount: int
    componentId: str | None


class UnknownPrompt(TypedDict):
    name: str
    versions: int
    traces: int
    lastUsedAt: Timestamp


class VariableExample(TypedDict):
    name: str
    example: str


class VariantEstimate(TypedDict):
    name: str
    calls: int
    expectedUsd: float | None


class VersionChange(TypedDict):
    kind: Literal["run", "service"]
    at: Timestamp
    field: str
    value: str
    previous: str
    run: OverviewRun | None


class VersionResultCost(TypedDict):
    meanUsd: float | None
    n: int


class VersionResultDuration(TypedDict):
    medianMs: int | None
    n: int


class VersionResult(TypedDict):
    version: int
    runId: Id
    runName: str | None
    evaluationId: Id
    evaluatedAt: Timestamp
    mean: float | None
    ci: list[float] | None
    n: int
    items: int
    cost: VersionResultCost
    duration: VersionResultDuration
    changed: DatasetChangesBetween | None


class VersionResultsDataset(TypedDict):
    id: Id
    name: str


class VersionResults(TypedDict):
    dataset: VersionResultsDataset
    metric: str | None
    metrics: list[str]
    scale: list[float] | None
    higherIsBetter: bool
    data: list[VersionResult]
    nextCursor: str | None


class View(TypedDict):
    id: Id
    name: str
    query: str
    sort: str | None
    columns: list[str]
    shared: bool
    userId: Id
    createdAt: Timestamp
    updatedAt: Timestamp


class VisibleRating(TypedDict):
    userId: str
    rating: str


class Work(TypedDict):
    remaining: int
    disagreements: int
    hasMore: bool
    data: list[WorkRun]


class WorkRun(TypedDict):
    componentId: Id
    componentName: str
    datasetId: Id
    datasetName: str
    runId: Id
    runName: str | None
    runCreatedAt: Timestamp
    reason: Literal["started", "requested", "open", "disagreements"]
    total: int
    rated: int
    remaining: int
    disagreements: int
    blind: bool
    ratersPerItem: int | None


class Workspace(TypedDict):
    id: Id
    name: str
    description: str | None
    createdAt: Timestamp
    updatedAt: Timestamp


class WorkspaceUsage(TypedDict):
    resetsAt: Timestamp
    spansToday: QuotaUse
    evaluationsToday: QuotaUse
    storedBytes: QuotaUse
