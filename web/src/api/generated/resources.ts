// Written by tools/generate-types.ts from openapi.json; do not edit.

export type Annotation = {
  id: Id
  traceDbId: string
  userId: string
  rating: string | null
  comment: string | null
  createdAt: Timestamp
}

export type ApiKey = {
  id: Id
  name: string
  prefix: string
  lastFour: string
  createdBy: Id
  createdAt: Timestamp
  lastUsedAt: string | null
  expiresAt: string | null
}

export type AuditEvent = {
  id: Id
  actorId: Id
  actorKind: string
  action: string
  resourceId: string | null
  requestId: string
  address: string | null
  createdAt: Timestamp
}

export type Component = {
  id: Id
  name: string
  description: string | null
  workspaceId: Id
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type CreatedApiKey = {
  id: Id
  name: string
  prefix: string
  lastFour: string
  createdBy: Id
  createdAt: Timestamp
  lastUsedAt: string | null
  expiresAt: string | null
  key: string
}

export type CreatedMember = {
  id: Id
  userId: string | null
  name: string | null
  email: string
  role: Role
  state: 'member' | 'invited'
  createdAt: Timestamp
  invitationUrl: string | null
}

export type Dataset = {
  id: Id
  name: string
  description: string | null
  aiComponentId: Id
  itemCount: number
  createdAt: Timestamp
}

export type Error = {
  error: string
}

export type Evaluation = {
  id: Id
  name: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  datasetId: Id
  createdAt: Timestamp
}

export type EvaluationDetail = {
  id: Id
  name: string | null
  aiComponentId: Id
  datasetId: Id
  runId: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  error: string | null
  config: Record<string, unknown>
  progress: {
    total: number
    done: number
    failed: number
    skipped: number
  }
  results: Record<string, unknown> | null
  startedAt: string | null
  completedAt: string | null
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type Id = string

export type Instance = {
  version: string
  setupNeeded: boolean
  signupOpen: boolean
}

export type Invitation = {
  email: string
  workspaceName: string
}

export type Me = {
  kind: 'api-key' | 'session'
  userId: Id
  name: string | null
  email: string | null
  role: Role
  workspaceId: Id
}

export type Member = {
  id: Id
  userId: string | null
  name: string | null
  email: string
  role: Role
  state: 'member' | 'invited'
  createdAt: Timestamp
}

export type Role = 'viewer' | 'annotator' | 'editor' | 'admin' | 'owner'

export type Run = {
  id: Id
  name: string | null
  datasetId: Id
  aiComponentId: Id
  traceCount: number
  createdAt: Timestamp
}

export type Timestamp = string

export type Workspace = {
  id: Id
  name: string
  description: string | null
  createdAt: Timestamp
  updatedAt: Timestamp
}
