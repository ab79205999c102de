/** The shapes the API answers with. Generated types are to replace this file, under the same names. */

export interface Page<Item> {
  data: Item[]
}

export interface Instance {
  version: string
  setupNeeded: boolean
  signupOpen: boolean
}

export interface Session {
  user: { id: string; name: string; email: string }
}

export interface Workspace {
  id: string
  name: string
  description: string | null
  createdAt: string
  updatedAt: string
}

export type Role = 'owner' | 'admin' | 'editor' | 'annotator' | 'viewer'

export interface Me {
  kind: 'session' | 'api-key'
  userId: string
  name: string | null
  email: string | null
  role: Role
  workspaceId: string
}

export interface Component {
  id: string
  name: string
  description: string | null
  workspaceId: string
  createdAt: string
  updatedAt: string
}

export interface Dataset {
  id: string
  name: string
  description: string | null
  aiComponentId: string
  itemCount: number
  createdAt: string
}

export interface Run {
  id: string
  name: string | null
  datasetId: string
  aiComponentId: string
  traceCount: number
  createdAt: string
}

export interface Evaluation {
  id: string
  name: string | null
  status: string
  datasetId: string
  createdAt: string
}

export interface ApiKey {
  id: string
  name: string
  prefix: string
  lastFour: string
  createdBy: string
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

export interface CreatedApiKey extends ApiKey {
  key: string
}

export interface Member {
  id: string
  userId: string | null
  name: string | null
  email: string
  role: Role
  state: 'member' | 'invited'
  createdAt: string
}

export interface CreatedMember extends Member {
  invitationUrl: string | null
}

export interface Invitation {
  email: string
  workspaceName: string
}

export interface DeviceCode {
  user_code: string
  status: string
}
